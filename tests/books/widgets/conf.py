import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Widgets"
extensions = ["myst_nb", "page_widgets"]
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "off"
nb_mime_priority_overrides = [("html", "text/html", 0)]
exclude_patterns = ["_html", "jupyter_execute"]
html_theme = "basic"
