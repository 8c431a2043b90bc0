"""What is measured on: a Ray cluster whose nodes are processes here, and a PostgreSQL server from its wheel."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from support.postgres import postgres_server as postgres_server

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
HERE = Path(__file__).parent
PATHS = os.pathsep.join([str(HERE), *filter(None, sys.path)])
QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "namespace": "thoughtgraph"}


@contextmanager
def ray_cluster(nodes: int, cpus: int) -> Generator[Any]:
    """A head without CPUs, and so many nodes with so many; the driver is connected to it."""
    import ray
    from ray.cluster_utils import Cluster

    folder = tempfile.mkdtemp(prefix="ray")
    os.environ["PYTHONPATH"] = PATHS
    cluster: Any = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "include_dashboard": False, "temp_dir": folder, "object_store_memory": 10**8},
    )
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=cpus, object_store_memory=10**8)
        ray.init(cluster.address, **QUIET)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
