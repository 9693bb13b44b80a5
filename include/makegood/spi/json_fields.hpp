// What `MAKEGOOD_FIELDS` writes JSON with, and reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/result.hpp"

namespace makegood {

/// Writes one JSON text.
class FieldWriter {
 public:
  FieldWriter();
  ~FieldWriter();
  FieldWriter(const FieldWriter&) = delete;
  FieldWriter& operator=(const FieldWriter&) = delete;

  void null();
  void boolean(bool value);
  void integer(std::int64_t value);
  void natural(std::uint64_t value);
  void number(double value);  ///< One that is not finite becomes null.
  void text(std::string_view bytes);
  void begin_object();
  void name(std::string_view name);
  void end_object();
  void begin_array();
  void end_array();
  std::string take();

 private:
  class Text;
  std::unique_ptr<Text> text_;
};

/// One value of a JSON text, which it keeps alive.
class FieldReader {
 public:
  static Result<FieldReader> parse(std::string_view json);

  bool is_null() const;
  std::optional<bool> boolean() const;
  std::optional<std::int64_t> integer() const;
  std::optional<std::uint64_t> natural() const;
  std::optional<double> number() const;
  std::optional<std::string> text() const;
  /// Nothing: it is no array.
  std::optional<std::vector<FieldReader>> items() const;
  /// Nothing: it is no object.
  std::optional<std::vector<std::pair<std::string, FieldReader>>> members() const;
  /// Nothing: it is no object, or has no such member.
  std::optional<FieldReader> member(std::string_view name) const;

 private:
  class Document;
  FieldReader(std::shared_ptr<const Document> document, const void* value);
  std::shared_ptr<const Document> document_;
  const void* value_;
};

}  // namespace makegood
