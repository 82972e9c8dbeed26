#include <algorithm>
#include <cmath>
#include <cstdio>

#include "render/check_formats.hpp"
#include "render/check_text.hpp"
#include "render/escape.hpp"
#include "render/trend_style.hpp"

namespace scope::render {
namespace {

using compare::Point;
using compare::Step;
using compare::Trend;

constexpr double chart_width = 720, chart_height = 180, margin_left = 80, margin_right = 16, margin_y = 16;

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string percent(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", (ratio - 1) * 100);
  return text;
}

/// Places of points and values on the chart.
class Scale {
 public:
  explicit Scale(const Trend &trend) : count_(trend.points.size()) {
    high_ = trend.limit;
    for (const Point &point : trend.points) {
      low_ = std::min(low_, point.low);
      high_ = std::max(high_, point.high);
    }
    if (high_ <= low_) high_ = low_ + 1;  // from 0: what looks like a step is one
  }
  double x(std::size_t index) const {
    const double span = chart_width - margin_left - margin_right;
    return count_ < 2 ? margin_left + span / 2 : margin_left + span * static_cast<double>(index) / static_cast<double>(count_ - 1);
  }
  double y(double value) const {
    return chart_height - margin_y - (value - low_) / (high_ - low_) * (chart_height - 2 * margin_y);
  }
  double high() const { return high_; }

 private:
  std::size_t count_;
  double low_ = 0, high_ = 0;
};

std::string level_line(const Scale &scale, double value, const char *kind) {
  const std::string y = fixed(scale.y(value));
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + fixed(margin_left) + "\" x2=\"" + fixed(chart_width - margin_right) +
         "\" y1=\"" + y + "\" y2=\"" + y + "\"/>";
}

std::string axis_text(const Scale &scale, double value, const Trend &trend) {
  return "<text x=\"" + fixed(margin_left - 8) + "\" y=\"" + fixed(scale.y(value) + 4) + "\" text-anchor=\"end\">" +
         escape_xml(value_text(value, trend.metric.unit())) + "</text>";
}

std::string point_name(const Point &point) {
  return point.name.empty() ? "this profile" : point.label.empty() ? point.name : point.label;
}

std::string chart(const Trend &trend, const std::string &id) {
  const Scale scale(trend);
  std::string out = "<svg viewBox=\"0 0 " + fixed(chart_width) + " " + fixed(chart_height) + "\" role=\"img\" aria-labelledby=\"" + id +
                    "-title\"><title id=\"" + id + "-title\">" + escape_xml(trend.metric.name()) + " over " +
                    std::to_string(trend.points.size()) + " profiles; the table below has the values</title>";
  out += axis_text(scale, scale.high(), trend) + axis_text(scale, 0, trend) + level_line(scale, 0, "axis");
  if (trend.middle > 0) out += level_line(scale, trend.middle, "middle") + level_line(scale, trend.limit, "limit");
  for (const Step &step : trend.steps) {
    const std::string x = fixed((scale.x(step.at - 1) + scale.x(step.at)) / 2);
    out += "<line class=\"step\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"" + fixed(chart_height) + "\"/>";
  }
  std::string path;
  for (std::size_t i = 0; i < trend.points.size(); ++i)
    path += (i ? " " : "") + fixed(scale.x(i)) + "," + fixed(scale.y(trend.points[i].value));
  out += "<polyline points=\"" + path + "\"/>";
  for (std::size_t i = 0; i < trend.points.size(); ++i) {
    const Point &point = trend.points[i];
    const std::string x = fixed(scale.x(i));
    out += "<line class=\"range\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + fixed(scale.y(point.low)) + "\" y2=\"" +
           fixed(scale.y(point.high)) + "\"/><circle" + (point.name.empty() ? " class=\"now\"" : "") + " cx=\"" + x + "\" cy=\"" +
           fixed(scale.y(point.value)) + "\" r=\"4\"><title>" +
           escape_xml(point_name(point) + ": " + value_text(point.value, trend.metric.unit())) + "</title></circle>";
  }
  return out + "</svg>\n";
}

std::string table(const Trend &trend) {
  std::string out = "<details><summary>Values</summary><table><thead><tr><th scope=\"col\">profile</th><th scope=\"col\">started</th>"
                    "<th scope=\"col\">median</th><th scope=\"col\">lowest</th><th scope=\"col\">highest</th></tr></thead><tbody>\n";
  const auto cell = [&](double value) { return "<td>" + escape_xml(value_text(value, trend.metric.unit())) + "</td>"; };
  for (const Point &point : trend.points)
    out += "<tr><th scope=\"row\">" + escape_xml(point_name(point)) + "</th><td>" + escape_xml(point.started) + "</td>" + cell(point.value) +
           cell(point.low) + cell(point.high) + "</tr>\n";
  return out + "</tbody></table></details>\n";
}

std::string section(const Trend &trend, const compare::CheckResult &check) {
  const std::string name = trend.metric.name();
  std::string out = "<section><h2>" + escape_xml(name) + "</h2>\n";
  for (const auto &verdict : check.verdicts)
    if (verdict.group == compare::Group::history && verdict.metric == name)
      out += "<p class=\"" + outcome_word(verdict.outcome) + "\"><strong>" + outcome_word(verdict.outcome) + "</strong> " +
             escape_xml(reason_text(verdict)) + "</p>\n";
  for (const Step &step : trend.steps)
    out += "<p>Step of " + percent(step.ratio) + " with " + escape_xml(point_name(trend.points[step.at])) + ".</p>\n";
  return out + chart(trend, "chart-" + name) + table(trend) + "</section>\n";
}

}  // namespace

std::string trend_page(const compare::HistoryResult &history) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                    "content=\"width=device-width, initial-scale=1\"><title>Performance of " + escape_xml(history.check.command) +
                    "</title>\n<style>\n" + trend_style + "</style></head>\n<body><main>\n<h1>Performance of <code>" +
                    escape_xml(history.check.command) + "</code></h1>\n<p>" + escape_xml(check_headline(history.check)) + "</p>\n<p>" +
                    std::to_string(history.accepted) + " accepted profiles" +
                    (history.skipped ? ", " + std::to_string(history.skipped) + " more that can not be compared" : "") +
                    ". Circles are medians, bars reach from the lowest to the highest repetition, the dashed line is the median of the "
                    "accepted profiles, the solid one what is let through, vertical ones are steps.</p>\n";
  for (const Trend &trend : history.trends) out += section(trend, history.check);
  std::string failures;
  for (const auto &verdict : history.check.verdicts)
    if (verdict.group != compare::Group::history && verdict.outcome == compare::Outcome::fail)
      failures += "<li>" + escape_xml(verdict.metric + ": " + reason_text(verdict)) + "</li>\n";
  if (!failures.empty()) out += "<section><h2>Counts</h2><ul>\n" + failures + "</ul></section>\n";
  return out + "</main></body></html>\n";
}

}  // namespace scope::render
