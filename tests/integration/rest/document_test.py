"""The OpenAPI document is valid, and every answer of the unit tests is as it says."""

import json
import os
import re
import subprocess
import tempfile
import unittest
import urllib.parse

from installed import require_packages

require_packages()

# What was installed just now. pylint: disable=wrong-import-position
import jsonschema  # noqa: E402
import openapi_spec_validator  # noqa: E402
import yaml  # noqa: E402

UNIT_TESTS = os.environ["MAKEGOOD_UNIT_API"]
UNDOCUMENTED = (404, 405)  # Of paths and methods that do not exist, and so have no operation to be documented in.


def run_unit_tests(*arguments, **environment):
    done = subprocess.run([UNIT_TESTS, "--gtest_brief=1", *arguments], env={**os.environ, **environment},
                          capture_output=True, text=True, timeout=250, check=False)
    if done.returncode != 0:
        raise AssertionError(f"the unit tests themselves fail:\n{done.stdout[-2000:]}")


def read_document():
    """As it is served."""
    with tempfile.TemporaryDirectory(prefix="makegood-rest-") as folder:
        kept = os.path.join(folder, "openapi.yaml")
        run_unit_tests("--gtest_filter=Routes.ServeTheDocument", MAKEGOOD_DOCUMENT_FILE=kept)
        with open(kept, encoding="utf-8") as file:
            return yaml.safe_load(file)


def pattern_of(path):
    return re.compile("^" + re.sub(r"\\{[a-z_]+\\}", "[^/]+", re.escape(path)) + "$")


class Document:
    def __init__(self):
        self.whole = read_document()
        # Fixed paths first: `dead/groups` is no number of a message.
        paths = sorted(self.whole["paths"].items(), key=lambda item: item[0].count("{"))
        self.paths = [(pattern_of(path), item) for path, item in paths]

    def operation(self, method, path):
        for pattern, item in self.paths:
            if pattern.match(path) and method.lower() in item:
                return item[method.lower()]
        return None

    def resolved(self, thing):
        while "$ref" in thing:
            found = self.whole
            for part in thing["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            thing = found
        return thing

    def validator(self, schema):
        # References point into the whole document, so the schema is looked at as a part of it.
        return jsonschema.Draft202012Validator({"components": self.whole["components"], **schema},
                                               format_checker=jsonschema.FormatChecker())


def answers_of_unit_tests():
    with tempfile.TemporaryDirectory(prefix="makegood-rest-") as folder:
        kept = os.path.join(folder, "answers.jsonl")
        run_unit_tests(MAKEGOOD_ANSWERS_FILE=kept)
        with open(kept, encoding="utf-8") as file:
            return [json.loads(line) for line in file]


class DocumentTest(unittest.TestCase):
    def test_is_valid_openapi(self):
        openapi_spec_validator.validate(read_document())

    def test_has_an_example_wherever_it_says_one_that_fits_its_schema(self):
        document = Document()
        checked = 0
        for path, item in document.whole["paths"].items():
            for method in ("get", "put", "post", "delete"):
                body = item.get(method, {}).get("requestBody", {}).get("content", {}).get("application/json", {})
                for name, example in body.get("examples", {}).items():
                    errors = list(document.validator(body["schema"]).iter_errors(example["value"]))
                    self.assertEqual(errors, [], f"{method} {path} {name}")
                    checked += 1
        self.assertGreater(checked, 3)

    def test_describes_every_answer_of_the_unit_tests(self):
        document = Document()
        seen = set()
        for answer in answers_of_unit_tests():
            method, path, status = answer["method"], answer["path"], answer["status"]
            what = f"{method} {path} → {status}"
            operation = document.operation(method, urllib.parse.urlparse(path).path)
            if operation is None:
                self.assertIn(status, UNDOCUMENTED, what)
                continue
            if status == 404 and str(status) not in operation["responses"]:
                self.assertIn("Only a server has", answer["body"]["detail"], what)
                continue
            self.assertIn(str(status), operation["responses"], what)
            content = document.resolved(operation["responses"][str(status)])["content"]
            self.assertIn(answer["content_type"], content, what)
            validator = document.validator(content[answer["content_type"]]["schema"])
            errors = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(answer["body"])]
            self.assertEqual(errors, [], what)
            seen.add((operation["operationId"], status // 100))
        self.assertGreater(len(seen), 50, "the unit tests ask for nearly everything")


if __name__ == "__main__":
    unittest.main()
