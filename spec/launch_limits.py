"""How large a job may be before something on its way refuses it, after it has been accepted."""

from __future__ import annotations

BATCH_OVERRIDES = 8192
"""Characters of a Batch job's container overrides. Batch accepts a larger job and then fails it.
https://github.com/Netflix/metaflow/issues/1482"""

ARGUMENT = 128 * 1024 - 1
"""Bytes of one argument of a program, as the shell line of a node is (MAX_ARG_STRLEN).
https://man7.org/linux/man-pages/man2/execve.2.html"""

KUBERNETES_OBJECT = 1400 * 1000
"""Bytes of an object in JSON; etcd takes 1.5 MiB, and Volcano adds a status.
https://etcd.io/docs/v3.5/dev-guide/limit/"""
