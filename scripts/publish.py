#!/usr/bin/env python3
"""Publish the crates of the workspace to crates.io, each after those that it depends on.

    publish.py --order      print the crates in the order of publication
    publish.py --dry-run    package all and build each package, as publishing does; upload nothing
    publish.py              publish; crates whose version is there already are left out, so that it can be repeated

A crate with `publish = false` is left out. Wheels are published by .github/workflows/release.yml; RELEASING.md has all
steps.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo")
#: What each package contains beside its sources.
REQUIRED_FILES = {"LICENSE-APACHE", "LICENSE-MIT", "README.md"}
REQUIRED_FIELDS = ("description", "license", "repository", "readme", "keywords", "categories", "rust_version")


def workspace() -> list[dict]:
    """The packages of the workspace, as cargo describes them."""
    command = [CARGO, "metadata", "--format-version=1", "--no-deps"]
    return json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]


def published(packages: Iterable[dict]) -> dict[str, dict]:
    """Those that are published, by name. `publish` is the list of registries, None for any."""
    return {package["name"]: package for package in packages if package["publish"] != []}


def order(packages: Iterable[dict]) -> list[str]:
    """The crates, each after its dependencies. Raises ValueError if one of these is not published."""
    packages = list(packages)
    names, chosen = {package["name"] for package in packages}, published(packages)
    graph = {}
    for name, package in sorted(chosen.items()):
        # Cargo leaves dependencies for tests out of a package if they have a path and no version.
        needs = {it["name"] for it in package["dependencies"] if it["kind"] != "dev" or it["req"] != "*"} & names
        if unpublished := needs - chosen.keys():
            raise ValueError(f"{name} depends on {', '.join(sorted(unpublished))}, which is not published")
        graph[name] = sorted(needs)
    return list(TopologicalSorter(graph).static_order())


def lacking(package: dict, files: Iterable[str]) -> list[str]:
    """What a package needs on crates.io, and does not have."""
    return [*(field for field in REQUIRED_FIELDS if not package[field]), *sorted(REQUIRED_FILES - set(files))]


def files(name: str) -> list[str]:
    """The files of a crate's package."""
    command = [CARGO, "package", "--quiet", "--allow-dirty", "--list", f"--package={name}"]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()


def is_there(name: str, version: str) -> bool:
    """Whether crates.io has this version."""
    run = subprocess.run([CARGO, "info", "--quiet", f"{name}@{version}", "--registry=crates-io"], capture_output=True)
    return run.returncode == 0


def dry_run() -> int:
    """Build each package against those of the others, which no registry has yet; returns cargo's status.

    In a new folder each time: cargo unpacks the packages below CARGO_HOME, in a folder that it names after the target
    directory, and takes what an earlier run unpacked there for the same version.
    """
    with tempfile.TemporaryDirectory(prefix="publish-") as folder:
        command = [CARGO, "publish", "--workspace", "--dry-run", "--locked", f"--target-dir={folder}"]
        return subprocess.run(command, cwd=ROOT).returncode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--order", action="store_true", help="print the crates, one a line")
    mode.add_argument("--dry-run", action="store_true", help="upload nothing")
    options = parser.parse_args()
    packages = workspace()
    try:
        names = order(packages)
    except ValueError as error:
        sys.exit(f"publish: {error}")
    if options.order:
        print(*names, sep="\n")
        return
    chosen = published(packages)
    for name in names:
        if lack := lacking(chosen[name], files(name)):
            sys.exit(f"publish: {name} has no {', no '.join(lack)}")
    if options.dry_run:
        sys.exit(dry_run())
    for name in names:
        if is_there(name, chosen[name]["version"]):
            print(f"{name} {chosen[name]['version']} is published already")
        elif status := subprocess.run([CARGO, "publish", "--locked", f"--package={name}"], cwd=ROOT).returncode:
            sys.exit(status)


if __name__ == "__main__":
    main()
