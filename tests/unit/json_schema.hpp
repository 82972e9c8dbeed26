#pragma once
// The part of JSON Schema (draft 2020-12) that our schemas use. Stricter than the standard in one thing: a key that the schema
// does not describe is an error, so that no key is forgotten there.

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace scope::test {

class JsonSchema {
 public:
  explicit JsonSchema(const std::string &file) : root_(nlohmann::json::parse(std::ifstream(file))) {}

  const nlohmann::json &root() const { return root_; }
  std::vector<std::string> errors(const nlohmann::json &document) const {
    std::vector<std::string> found;
    check(root_, document, "", found);
    return found;
  }

 private:
  using Json = nlohmann::json;
  using Errors = std::vector<std::string>;

  static bool is_type(const std::string &type, const Json &value) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == (value.is_boolean() ? "boolean" : value.type_name());
  }

  void check(const Json &schema, const Json &value, const std::string &path, Errors &errors) const {
    if (schema.contains("$ref")) {
      check(root_.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))), value, path, errors);
      return;
    }
    if (schema.contains("const") && schema["const"] != value) errors.push_back(path + ": is not the constant");
    if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      errors.push_back(path + ": is none of the values");
    if (schema.contains("type")) {
      Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
      if (std::none_of(types.begin(), types.end(), [&](const Json &type) { return is_type(type.get<std::string>(), value); }))
        errors.push_back(path + ": has the wrong type " + value.type_name());
    }
    if (value.is_number()) check_range(schema, value, path, errors);
    if (value.is_string() && schema.contains("pattern") &&
        !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>())))
      errors.push_back(path + ": does not match the pattern");
    if (value.is_array()) check_array(schema, value, path, errors);
    if (value.is_object()) check_object(schema, value, path, errors);
  }

  static void check_range(const Json &schema, const Json &value, const std::string &path, Errors &errors) {
    if (schema.contains("minimum") && value < schema["minimum"]) errors.push_back(path + ": is below the minimum");
    if (schema.contains("maximum") && value > schema["maximum"]) errors.push_back(path + ": is above the maximum");
  }

  void check_array(const Json &schema, const Json &value, const std::string &path, Errors &errors) const {
    if (value.size() < schema.value("minItems", std::size_t{0})) errors.push_back(path + ": is too short");
    if (value.size() > schema.value("maxItems", value.size())) errors.push_back(path + ": is too long");
    for (std::size_t i = 0; i < value.size() && schema.contains("items"); ++i)
      check(schema["items"], value[i], path + "/" + std::to_string(i), errors);
  }

  void check_object(const Json &schema, const Json &value, const std::string &path, Errors &errors) const {
    for (const Json &key : schema.value("required", Json::array()))
      if (!value.contains(key.get<std::string>())) errors.push_back(path + ": has no " + key.get<std::string>());
    for (const auto &[key, member] : value.items()) {
      if (schema.contains("properties") && schema["properties"].contains(key)) {
        check(schema["properties"][key], member, path + "/" + key, errors);
      } else if (schema.contains("additionalProperties")) {
        check(schema["additionalProperties"], member, path + "/" + key, errors);
      } else {
        errors.push_back(path + ": the schema does not describe " + key);
      }
    }
  }

  Json root_;
};

}  // namespace scope::test
