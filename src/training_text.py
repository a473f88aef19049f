"""A short text to train on: written for this book, plain enough that a small model learns something in seconds."""

TEXT = """\
The ferry leaves at seven. It leaves at seven in summer, when the sun is already over the hills, and it leaves at seven
in winter, when the lamps along the quay are still lit. The ferryman says that a river does not know the season. It
knows only how much rain has fallen, and it tells everyone who can read it.

He reads it every morning. He looks at the stone steps below the quay and counts how many are dry. Nine dry steps are a
good day. Six dry steps mean that the current is strong and that the boat must start far upstream to arrive where it
wants to arrive. When only three steps are dry, the ferry stays where it is, and the people wait, or they walk to the
bridge, which is two hours away.

On the other bank there is a mill. It has a large wheel and a small wheel. The large wheel turns the stones, and the
small wheel turns nothing at all. The miller built it for his daughter, who wanted to know how the water pushes. She
counted the turns of both wheels for a whole summer. When the large wheel turned once, the small wheel turned four
times. It was always four times, with much water and with little, and she wrote the number on the wall.

In autumn the farmers bring their grain. Every sack is weighed before it is ground, and the flour is weighed after. The
two numbers are never the same. Some of the grain becomes dust, and the dust hangs in the light below the roof. The
miller says that nothing is lost, that it only goes where no one can sell it. His daughter weighed the dust as well. She
swept the floor, she swept the beams, and she put it all on the scale. Then the numbers were nearly the same, and she
was nearly content.

The ferryman and the miller are friends, but they do not agree about the river. The miller wants it high, because a high
river turns the wheel. The ferryman wants it low, because a low river lets the boat cross. When it rains for a week, the
miller sings, and the ferryman mends his ropes. When it is dry for a week, the ferryman sings, and the miller mends his
roof. So there is always one who sings and one who mends, and the people on both banks say that this is a fair river.

One winter the river froze. No one had seen this before. The wheel stood still with long white beards of ice, and the
boat lay in the harbour like a stone. The miller did not sing, and the ferryman did not sing. For three days they looked
at the ice and did not know what to do. Then the daughter of the miller took a stick and went out from the bank. At each
step she struck the ice and listened. Where it was thick, the sound was short. Where it was thin, the sound was long.
She put small flags where the sound was short, one flag for every ten steps, and so she came to the other side.

After that the people crossed on foot. They walked from flag to flag, with sacks on their backs and with children by the
hand, and the ferryman went first and asked for no money. He had counted the steps. It was four hundred steps from bank
to bank, and he had crossed the river ten thousand times without knowing it.

In spring the ice broke with a great noise, and the flags went down to the sea. The ferry leaves at seven again. The
wheel turns the stones, the small wheel turns four times as fast, and on the wall of the mill there are two numbers now.
One is four. The other is four hundred.
"""
