#include "cli/setting_flags.hpp"

#include "base/json.hpp"
#include "cli/client.hpp"
#include "cli/flag_texts.hpp"

namespace makegood::cli {
namespace {

void put_pairs(api::Writer& writer, std::string_view name, const Pairs& pairs) {
  json::write_name(writer, name);
  writer.StartObject();
  for (const auto& [key, value] : pairs) api::put(writer, key, std::string_view(value));
  writer.EndObject();
}

}  // namespace

Result<> put_setting(api::Writer& writer, const SettingFlag& setting, const std::vector<std::string>& said) {
  switch (setting.form) {
    case SettingFlag::Form::text:
      put_if(writer, setting.member, said.front());
      break;
    case SettingFlag::Form::texts:
      api::put_array(writer, setting.member, said, json::write_text);
      break;
    case SettingFlag::Form::pairs:
      put_pairs(writer, setting.member, MAKEGOOD_TRY(pairs_of(said)));
      break;
    case SettingFlag::Form::two_texts:
      put_if(writer, setting.member, said.front());
      put_if(writer, setting.second_member, said.back());
      break;
  }
  return {};
}

void add_setting(CLI::App& verb, const SettingFlag& setting, std::vector<std::string>& said) {
  CLI::Option& option = *verb.add_option(std::string(setting.flag), said, std::string(setting.meaning));
  option.type_name(std::string(setting.type));
  if (setting.form == SettingFlag::Form::text) {
    option.expected(1);
  } else if (setting.form == SettingFlag::Form::two_texts) {
    option.delimiter(',')->expected(2);
  } else {
    option.allow_extra_args(false);
  }
}

}  // namespace makegood::cli
