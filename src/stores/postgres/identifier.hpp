// The name of an outbox, checked once; the only thing that is ever written into SQL.
#pragma once

#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::postgres {

/// `name` or `schema.name`, read as SQL reads it: letters outside of double quotes become small, and within them
/// everything stands for itself (`"my.schema"."Out""box"`). Unlike in SQL, a name that is a keyword or has other
/// characters needs no quotes.
class Identifier {
 public:
  static Result<Identifier> from(std::string_view text);

  const std::string& schema() const { return schema_; }  ///< Empty: whatever the connection's search path says.
  const std::string& name() const { return name_; }
  /// `"schema"."name_turn"` for the suffix `_turn`, as it is written in SQL.
  std::string qualified(std::string_view suffix = {}) const;
  /// The statement with its names filled in:
  ///   {outbox}_turn       a table or view of this outbox, quoted, with its schema
  ///   {name}_turn         the same without the schema, as an index is called where it is made
  ///   {schema}makegood_x  a table that the outboxes of a schema share
  ///   {text}              the outbox's name as a text
  ///   {regclass}          the log, as a value of type regclass
  std::string into(std::string_view sql) const;

 private:
  Identifier(std::string schema, std::string name) : schema_(std::move(schema)), name_(std::move(name)) {}
  std::string in_schema(std::string_view name) const;

  std::string schema_;
  std::string name_;
};

/// Between double quotes, those inside doubled.
std::string quoted(std::string_view name);

}  // namespace makegood::postgres
