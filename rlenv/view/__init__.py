"""A run as one HTML file that needs no server and no network: `rlenv view`.

viewed.py     what is shown of a run
shape.py      one completion as the page reads it, and where its tokens stand in its text
packing.py    all of them as columns, and as compressed blocks of texts, sampled where they are many
page_file.py  the file; page/ holds its script and style, and uPlot
live.py       the same page on localhost while the run goes on
"""

from rlenv.view.page_file import MAX_BYTES, PAGE, html, write_after, write_page
from rlenv.view.viewed import ViewedRun, saved_run

__all__ = ["MAX_BYTES", "PAGE", "ViewedRun", "html", "saved_run", "write_after", "write_page"]
