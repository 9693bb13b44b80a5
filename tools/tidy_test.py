#!/usr/bin/env python3
"""Each rule of tidy is shown to fail on a small tree that breaks it, and to pass on one that does not."""

import unittest

from tidy_rules import calls, documents, headers, includes, lengths, names, text, tree


def messages(rule, files):
    return [finding.message for finding in rule(files)]


class RuleTest(unittest.TestCase):
    def assert_finds(self, rule, files, part):
        found = messages(rule, files)
        self.assertTrue(any(part in message for message in found), f"'{part}' is not in {found}")

    def assert_passes(self, rule, files):
        self.assertEqual(messages(rule, files), [])


class Includes(RuleTest):
    def rule(self, path, line, *others):
        return includes.includes({path: line + "\n", **{other: "" for other in others}})

    def assert_refused(self, path, line, *others):
        self.assertNotEqual(self.rule(path, line, *others), [])

    def assert_allowed(self, path, line, *others):
        self.assertEqual(self.rule(path, line, *others), [])

    def test_public_headers_know_the_standard_library_and_each_other(self):
        self.assert_allowed("include/makegood/a.hpp", "#include <string_view>")
        self.assert_allowed("include/makegood/a.h", "#include <stdint.h>")
        self.assert_allowed("include/makegood/a.hpp", '#include "makegood/b.hpp"', "include/makegood/b.hpp")
        self.assert_refused("include/makegood/a.hpp", "#include <fmt/format.h>")
        self.assert_refused("include/makegood/a.hpp", "#include <unistd.h>")
        self.assert_refused("include/makegood/a.hpp", '#include "core/lane.hpp"', "src/core/lane.hpp")

    def test_examples_see_us_as_others_do(self):
        self.assert_allowed("examples/1_a/main.cpp", "#include <makegood/makegood.hpp>")
        self.assert_refused("examples/1_a/main.cpp", '#include "core/lane.hpp"', "src/core/lane.hpp")
        self.assert_refused("src/core/lane.cpp", "#include <makegood/makegood.hpp>")

    def test_core_knows_nothing_that_acts(self):
        self.assert_allowed("src/core/lane.cpp", '#include "core/window.hpp"', "src/core/window.hpp")
        self.assert_allowed("src/core/lane.cpp", "#include <chrono>")
        for header in ("thread", "mutex", "random", "fstream", "sys/eventfd.h", "fmt/format.h", "sqlite3.h"):
            self.assert_refused("src/core/lane.cpp", f"#include <{header}>")
        self.assert_refused("src/core/lane.cpp", '#include "engine/owner_loop.hpp"', "src/engine/owner_loop.hpp")

    def test_engine_knows_core_but_no_store_and_no_transport(self):
        self.assert_allowed("src/engine/wake_up.cpp", '#include "core/lane.hpp"', "src/core/lane.hpp")
        self.assert_allowed("src/engine/wake_up.cpp", "#include <sys/eventfd.h>")
        self.assert_refused("src/engine/wake_up.cpp", '#include "stores/memory/a.hpp"', "src/stores/memory/a.hpp")
        self.assert_refused("src/engine/wake_up.cpp", '#include "transports/local/a.hpp"', "src/transports/local/a.hpp")

    def test_siblings_do_not_know_each_other(self):
        self.assert_allowed("src/stores/sqlite/a.cpp", '#include "stores/sqlite/b.hpp"', "src/stores/sqlite/b.hpp")
        self.assert_refused("src/stores/sqlite/a.cpp", '#include "stores/memory/b.hpp"', "src/stores/memory/b.hpp")
        self.assert_refused("src/stores/sqlite/a.cpp", '#include "../memory/b.hpp"', "src/stores/memory/b.hpp")
        self.assert_refused("src/stores/sqlite/a.cpp", '#include "core/lane.hpp"', "src/core/lane.hpp")
        self.assert_refused("src/transports/local/a.cpp", '#include "stores/memory/b.hpp"', "src/stores/memory/b.hpp")

    def test_a_store_has_the_statements_that_the_build_made_for_it(self):
        self.assert_allowed("src/stores/sqlite/a.cpp", '#include "makegood_store_sqlite_sql.hpp"')
        self.assert_refused("src/stores/sqlite/a.cpp", '#include "nowhere.hpp"')

    def test_observe_and_config_know_only_what_is_public(self):
        for folder in ("observe", "config"):
            self.assert_allowed(f"src/{folder}/a.cpp", '#include "makegood/b.hpp"', "include/makegood/b.hpp")
            self.assert_refused(f"src/{folder}/a.cpp", '#include "core/lane.hpp"', "src/core/lane.hpp")

    def test_the_simulator_knows_core_and_the_memory_store(self):
        self.assert_allowed("sim/world.cpp", '#include "core/lane.hpp"', "src/core/lane.hpp")
        self.assert_allowed("sim/world.cpp", '#include "stores/memory/memory.hpp"', "src/stores/memory/memory.hpp")
        self.assert_refused("sim/world.cpp", '#include "stores/sqlite/sqlite.hpp"', "src/stores/sqlite/sqlite.hpp")
        self.assert_refused("sim/world.cpp", '#include "engine/owner_loop.hpp"', "src/engine/owner_loop.hpp")

    def test_the_command_line_and_the_registry_know_everything_of_ours(self):
        for path in ("src/cli/serve.cpp", "src/registry.cpp", "tests/unit/a.cpp"):
            self.assert_allowed(path, '#include "stores/sqlite/sqlite.hpp"', "src/stores/sqlite/sqlite.hpp")

    def test_each_library_has_its_place(self):
        places = {"sqlite3.h": "src/stores/sqlite", "prometheus/a.h": "src/observe", "yaml-cpp/yaml.h": "src/config",
                  "CLI/CLI.hpp": "src/cli", "spdlog/spdlog.h": "src/observe", "rapidjson/a.h": "src/base"}
        for header, folder in places.items():
            self.assert_allowed(f"{folder}/a.cpp", f"#include <{header}>")
            self.assert_refused("src/engine/a.cpp", f"#include <{header}>")

    def test_an_unknown_library_or_folder_must_be_listed(self):
        self.assert_refused("src/cli/a.cpp", "#include <boost/asio.hpp>")
        self.assert_refused("elsewhere/a.cpp", "")


class Names(RuleTest):
    def test_files_and_folders_say_what_they_are(self):
        for path in ("src/core/utils.cpp", "src/common/a.cpp", "src/core/lane_helpers.hpp", "src/core/lane_impl.cpp",
                     "tools/misc.sh"):
            self.assert_finds(names.file_names, {path: ""}, "says nothing")
        self.assert_passes(names.file_names, {"src/core/lane.cpp": "", "docs/commons.md": ""})

    def test_types_say_what_they_are(self):
        for name in ("LaneManager", "StringUtils", "Helper", "DispatcherImpl"):
            self.assert_finds(names.type_names, {"src/a.cpp": f"class {name} {{}};"}, name)
        self.assert_passes(names.type_names, {"src/a.cpp": "class Implication {};  // not a class LaneManager"})


class Calls(RuleTest):
    def test_clocks_and_ids_are_arguments_below_the_engine(self):
        for code in ("auto now = std::chrono::steady_clock::now();", "use(system_clock(), ids);", "time(nullptr);",
                     "process_ids().new_ulid();", "auto id = makegood::new_uuid7();", "const auto now = real_now();"):
            self.assert_finds(calls.calls, {"src/stores/postgres/look.cpp": code}, "no ")
        self.assert_passes(calls.calls, {"src/stores/postgres/look.cpp": "world_.ids->new_uuid7(); clock.now();"})
        self.assert_passes(calls.calls, {"src/stores/postgres/session.cpp": "const auto now = real_now();"})
        self.assert_passes(calls.calls, {"src/engine/owner_loop.cpp": "const Owner owner = new_ulid();"})

    def test_banned_calls_are_found(self):
        for call in ("std::system(text)", "system (text)", "rand()", "std::srand(1)", "strcpy(a, b)", "sprintf(a, b)"):
            self.assert_finds(calls.calls, {"src/cli/a.cpp": f"int x = {call};"}, "here: ")

    def test_look_alikes_comments_and_texts_are_not(self):
        code = 'system_clock(); snprintf(a, 1, b); operand(); car.rand(); // rand()\nauto s = "system(";'
        self.assert_passes(calls.calls, {"src/cli/a.cpp": code})

    def test_only_the_pool_of_handlers_gives_a_thread_up(self):
        self.assert_finds(calls.calls, {"src/engine/a.cpp": "thread.detach();"}, "detach")
        self.assert_passes(calls.calls, {"src/transports/local/pool.cpp": "thread.detach();"})

    def test_chance_comes_from_one_place(self):
        for path in ("src/stores/sqlite/a.cpp", "src/base/id.cpp", "src/engine/a.cpp"):
            self.assert_finds(calls.calls, {path: "std::random_device d;"}, "random_device")
        self.assert_passes(calls.calls, {"src/base/seed.cpp": "std::random_device d;"})

    def test_core_neither_asks_the_time_nor_waits(self):
        self.assert_finds(calls.calls, {"src/core/a.cpp": "auto t = std::chrono::steady_clock::now();"}, "now")
        self.assert_finds(calls.calls, {"src/core/a.cpp": "std::this_thread::sleep_for(1s);"}, "sleep")
        self.assert_passes(calls.calls, {"src/engine/a.cpp": "auto t = std::chrono::steady_clock::now();"})


class Headers(RuleTest):
    def test_there_are_not_too_many(self):
        many = {f"include/makegood/h{i}.hpp": "" for i in range(headers.HEADERS_MAX + 1)}
        self.assert_finds(headers.public_headers, many, f"{headers.HEADERS_MAX + 1} headers")
        many.pop("include/makegood/h0.hpp")
        self.assert_passes(headers.public_headers,
                           {**many, "include/makegood/sqlite.h": "", "include/makegood/spi/store.hpp": ""})

    def test_none_is_too_long(self):
        self.assert_finds(headers.public_headers, {"include/makegood/a.hpp": "\n" * 251}, "251 lines")
        self.assert_passes(headers.public_headers, {"include/makegood/a.hpp": "\n" * 250})

    def test_each_is_read_once(self):
        self.assert_finds(headers.pragma_once, {"src/core/a.hpp": "struct A {};\n"}, "#pragma once")
        self.assert_passes(headers.pragma_once, {"src/core/a.hpp": "// Why.\n#pragma once\n", "src/core/a.cpp": ""})


class Text(RuleTest):
    def test_no_mark_is_left_behind(self):
        for mark in ("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK"):
            self.assert_finds(text.marks, {"docs/a.md": f"{mark}: later"}, "leave no mark")
        self.assert_passes(text.marks, {"a.cpp": f"mkdtemp(\"{'X' * 6}\"); // hackers, todos"})

    def test_tabs_and_blanks_at_the_end_are_found(self):
        self.assert_finds(text.blanks, {"a.py": "\tpass\n"}, "tab")
        self.assert_finds(text.blanks, {"run": "#!/usr/bin/env bash\necho \n"}, "end of the line")
        self.assert_finds(text.blanks, {"a.cpp": "int a;"}, "does not end")
        self.assert_passes(text.blanks, {"a.cpp": "int a;\n", "Makefile": "\tmake\n"})

    def test_lines_have_120_columns(self):
        self.assert_finds(text.columns, {"a.cpp": "x" * 121 + "\n"}, "121 columns")
        self.assert_passes(text.columns, {"a.cpp": "é" * 120 + "\n", "a.md": "x" * 200})


class Documents(RuleTest):
    def test_each_has_one_title(self):
        self.assert_finds(documents.titles, {"a.md": "no title\n"}, "0 titles")
        self.assert_finds(documents.titles, {"a.md": "# One\n# Two\n"}, "2 titles")
        self.assert_passes(documents.titles, {"a.md": "# One\n```\n# a comment\n```\n## Part\n"})

    def test_links_lead_somewhere(self):
        self.assert_finds(documents.links, {"docs/a.md": "[b](b.md)"}, "leads nowhere")
        self.assert_finds(documents.links, {"docs/a.md": "[b](../b.md#part)", "docs/b.md": ""}, "leads nowhere")
        fine = "[b](b.md#part) [up](../README.md) [folder](.) [there](https://example.org) [here](#part) `[x](y)`"
        self.assert_passes(documents.links, {"docs/a.md": fine, "docs/b.md": "", "README.md": ""})

    def test_each_page_is_listed(self):
        pages = {"docs/a.md": "", "docs/decisions/0001-b.md": "", "src/README.md": ""}
        whole = "[a](a.md#part) [0001 b](decisions/0001-b.md) [up](../src/README.md)"
        self.assert_passes(documents.listed, {"docs/README.md": whole, **pages})
        for link in ("[a](a.md#part)", "[0001 b](decisions/0001-b.md)"):
            listed = whole.replace(link, "`" + link + "`")
            self.assert_finds(documents.listed, {"docs/README.md": listed, **pages}, "has no link to this page")

    def test_name_every_layer_where_folders_are_told(self):
        told = "".join(f"`{layer}/` `{layer}`" for layer in includes.LAYERS)
        self.assert_passes(documents.layers, {"ARCHITECTURE.md": told})
        self.assert_finds(documents.layers, {"ARCHITECTURE.md": told.replace("`src/api/` `src/api`", "")}, "src/api is")
        self.assert_finds(documents.layers, {"src/README.md": "`core`"}, "src/server is")


class Lengths(RuleTest):
    def test_long_files_are_listed(self):
        self.assert_finds(lengths.long_files, {"a.cpp": "\n" * 401}, "401 lines")
        self.assert_passes(lengths.long_files, {"a.cpp": "\n" * 400, "a.md": "\n" * 999})

    def test_long_functions_are_listed(self):
        body = "namespace a {{\nint Lane::decide(int x) const {{\n{}  if (x) {{\n  }}\n}}\n}}\n"
        self.assert_finds(lengths.long_functions, {"a.cpp": body.format("  f();\n" * 70)}, "Lane::decide: 74 lines")
        self.assert_passes(lengths.long_functions, {"a.cpp": body.format("  f();\n" * 66)})
        many_short = "struct A {\n" + "  int f() { return 1; }\n" * 99 + "};\n"
        self.assert_passes(lengths.long_functions, {"a.cpp": many_short})


class CodeOnly(unittest.TestCase):
    def test_blanks_comments_and_literals_and_keeps_the_lines(self):
        source = 'int a = 20\'000; // c\n/* d\n */ auto s = R"x(e")\n)x"; char f = \'g\';\n'
        code = tree.code_only(source)
        self.assertEqual(code.count("\n"), source.count("\n"))
        self.assertIn("20'000;", code)
        for hidden in ("c", "d", "e", "g"):
            self.assertNotIn(hidden, code.replace("char", "").replace("auto", ""))


if __name__ == "__main__":
    unittest.main()
