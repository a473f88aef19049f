"""Model sizes as papers print them, to be checked by counting."""

from typing import NamedTuple


class PublishedModel(NamedTuple):
    """One printed row: parameters in millions, L layers, C width, H heads, d head width."""

    millions: float
    n_layer: int
    n_embd: int
    n_head: int
    head_width: int


# Radford et al. (2019), table 2, in millions.
GPT2_TABLE = {"gpt2": 117, "gpt2-medium": 345, "gpt2-large": 762, "gpt2-xl": 1542}
# Rows of the first GPT's token table, model/params_shapes.json in its released code. Radford et al. (2018), section
# 4.1, speak of 40,000 merges; the rest are single symbols.
GPT1_VOCABULARY = 40_478

# Brown et al. (2020), table 2.1.
GPT3_TABLE = {
    "GPT-3 Small": PublishedModel(125, 12, 768, 12, 64),
    "GPT-3 Medium": PublishedModel(350, 24, 1024, 16, 64),
    "GPT-3 Large": PublishedModel(760, 24, 1536, 16, 96),
    "GPT-3 XL": PublishedModel(1300, 24, 2048, 24, 128),
    "GPT-3 2.7B": PublishedModel(2700, 32, 2560, 32, 80),
    "GPT-3 6.7B": PublishedModel(6700, 32, 4096, 32, 128),
    "GPT-3 13B": PublishedModel(13000, 40, 5140, 40, 128),
    "GPT-3 175B": PublishedModel(175000, 96, 12288, 96, 128),
}

# Rae et al. (2021), section 2.1; Hoffmann et al. (2022) use the same tokenizer but for small changes.
CHINCHILLA_VOCABULARY = 32_000

# Hoffmann et al. (2022), table A9, all 50 rows in the printed order; the MLP's inner width is 4C in each.
CHINCHILLA_TABLE = tuple(
    PublishedModel(*row)
    for row in (
        (44, 8, 512, 8, 64),
        (57, 9, 576, 9, 64),
        (74, 10, 640, 10, 64),
        (90, 13, 640, 10, 64),
        (106, 16, 640, 10, 64),
        (117, 12, 768, 12, 64),
        (140, 15, 768, 12, 64),
        (163, 18, 768, 12, 64),
        (175, 14, 896, 14, 64),
        (196, 16, 896, 14, 64),
        (217, 18, 896, 14, 64),
        (251, 16, 1024, 16, 64),
        (278, 18, 1024, 16, 64),
        (306, 20, 1024, 16, 64),
        (425, 18, 1280, 10, 128),
        (489, 21, 1280, 10, 128),
        (509, 18, 1408, 11, 128),
        (552, 24, 1280, 10, 128),
        (587, 21, 1408, 11, 128),
        (632, 19, 1536, 12, 128),
        (664, 24, 1408, 11, 128),
        (724, 22, 1536, 12, 128),
        (816, 25, 1536, 12, 128),
        (893, 20, 1792, 14, 128),
        (1018, 23, 1792, 14, 128),
        (1143, 26, 1792, 14, 128),
        (1266, 22, 2048, 16, 128),
        (1424, 22, 2176, 17, 128),
        (1429, 25, 2048, 16, 128),
        (1593, 28, 2048, 16, 128),
        (1609, 25, 2176, 17, 128),
        (1731, 24, 2304, 18, 128),
        (1794, 28, 2176, 17, 128),
        (2007, 28, 2304, 18, 128),
        (2283, 32, 2304, 18, 128),
        (2298, 26, 2560, 20, 128),
        (2639, 30, 2560, 20, 128),
        (2980, 34, 2560, 20, 128),
        (3530, 36, 2688, 22, 128),
        (3802, 36, 2816, 22, 128),
        (4084, 36, 2944, 22, 128),
        (4516, 36, 3072, 24, 128),
        (6796, 40, 3584, 28, 128),
        (9293, 42, 4096, 32, 128),
        (11452, 47, 4352, 32, 128),
        (12295, 44, 4608, 36, 128),
        (12569, 47, 4608, 32, 128),
        (13735, 47, 4864, 32, 128),
        (14940, 49, 4992, 32, 128),
        (16183, 47, 5120, 40, 128),
    )
)
