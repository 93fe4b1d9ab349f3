"""``python -m esd_client`` is the command ``esd``."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
