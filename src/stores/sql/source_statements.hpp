// The statements about sources: each store writes them in its dialect.
#pragma once

#include <string_view>

namespace makegood::relational {

struct SourceStatements {
  std::string_view list_sources, put_source, remove_source, remove_source_places, pause_source, tell_source_trouble,
      list_source_places, begin_source_place, move_source_place, set_source_place, touch_source;
};

template <class Sql>
constexpr SourceStatements source_statements_in() {
  return {
      .list_sources = Sql::list_sources,
      .put_source = Sql::put_source,
      .remove_source = Sql::remove_source,
      .remove_source_places = Sql::remove_source_places,
      .pause_source = Sql::pause_source,
      .tell_source_trouble = Sql::tell_source_trouble,
      .list_source_places = Sql::list_source_places,
      .begin_source_place = Sql::begin_source_place,
      .move_source_place = Sql::move_source_place,
      .set_source_place = Sql::set_source_place,
      .touch_source = Sql::touch_source,
  };
}

}  // namespace makegood::relational
