# Copyright (c) 2026 The scope-profiler authors
# SPDX-License-Identifier: MIT
#
# A recipe for Spack. In a repository of your own:
#   spack repo create ~/spack-recipes && mkdir -p ~/spack-recipes/packages/scope-profiler
#   cp package.py ~/spack-recipes/packages/scope-profiler/ && spack repo add ~/spack-recipes
#   spack dev-build scope-profiler@main      # in a checkout of the sources
# No MPI among the dependencies: the shim is built without any, and serves the one that a program loads.

from spack.package import *


class ScopeProfiler(CMakePackage):
    """Profiles MPI programs without rebuilding them."""

    license("MIT")

    version("main")

    variant("tests", default=False, description="Build the tests")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json@3.11:")
    depends_on("rapidjson@1.1:")
    depends_on("spdlog@1.10:")
    depends_on("tomlplusplus@3.3:")
    depends_on("elfutils")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("googletest@1.12:", when="+tests")
    conflicts("%gcc@:11", msg="C++20 is needed")
    conflicts("%clang@:13", msg="C++20 is needed")

    # Spack has no package of d3: version 3, one file, embedded in the report page.
    resource(
        name="d3",
        url="https://registry.npmjs.org/d3/-/d3-3.5.17.tgz",
        sha256="da49ebf01f88a039c748eb4aa682fec45672f7c2abca3b363633b8f835065b35",
        placement="d3",
    )

    def cmake_args(self):
        return [
            self.define_from_variant("SCOPE_TESTS", "tests"),
            self.define("SCOPE_D3", join_path(self.stage.source_path, "d3", "d3.min.js")),
        ]
