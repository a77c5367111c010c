"""CDK application: one TeamStage per team file."""

import sys

from spec.toolchain import use_pinned_node

use_pinned_node()

from stacks.assembly import main  # noqa: E402  jsii reads JSII_NODE when it is imported

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
