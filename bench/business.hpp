// What a transaction is about: the message only tells of it.
#pragma once

namespace makegood::bench {

constexpr const char* business_sql = "INSERT INTO shop_order (customer, cents) VALUES ('acme', 4200)";
constexpr const char* business_table_of_sqlite =
    "CREATE TABLE IF NOT EXISTS shop_order (id INTEGER PRIMARY KEY, customer TEXT, cents INTEGER)";
constexpr const char* business_table_of_postgres =
    "CREATE TABLE shop_order (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text, cents bigint)";

}  // namespace makegood::bench
