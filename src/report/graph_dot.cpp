// SPDX-License-Identifier: Apache-2.0
#include "report/graph_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace dycl::report {
namespace {

constexpr std::size_t kMostOperations = 8;  // of a sub-DNN, in its block

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '"' || character == '\\') result.push_back('\\');
    result.push_back(static_cast<unsigned char>(character) < ' ' ? ' ' : character);
  }
  return result;
}

std::string place_text(const SourceSpan& at) {
  return at.known() ? fmt::format("{}:{}", std::filesystem::path(at.file).filename().string(), at.line) : "";
}

// What the block shows: long sub-DNNs are cut.
std::vector<DescribedLine> shown_lines(const DescribedBlock& block) {
  std::vector<DescribedLine> shown;
  for (auto line = block.lines.begin(); line != block.lines.end();) {
    const auto next = std::find_if(line, block.lines.end(),
                                   [&](const DescribedLine& other) { return !other.within_subnet; });
    const auto count = static_cast<std::size_t>(next - line);
    if (count == 0) {
      shown.push_back(*line++);
      continue;
    }
    const std::size_t listed = count <= kMostOperations + 1 ? count : kMostOperations;
    shown.insert(shown.end(), line, line + static_cast<std::ptrdiff_t>(listed));
    if (listed < count) shown.push_back({fmt::format("… and {} more", count - listed), {}, true});
    line = next;
  }
  return shown;
}

// Columns are counted in characters: a name may have others than those of ASCII.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string label_of(const DescribedBlock& block) {
  const std::vector<DescribedLine> lines = shown_lines(block);
  std::vector<std::string> texts;
  std::size_t width = 0;
  for (const DescribedLine& line : lines) {
    texts.push_back((line.within_subnet ? "    " : "  ") + line.text);
    width = std::max(width, width_of(texts.back()));
  }
  std::string label = escaped(block.heading) + "\\l";
  for (std::size_t index = 0; index < lines.size(); ++index) {
    label += escaped(texts[index]);
    if (const std::string place = place_text(lines[index].at); !place.empty())
      label += std::string(width - width_of(texts[index]) + 2, ' ') + escaped(place);
    label += "\\l";
  }
  return label;
}

}  // namespace

std::string graph_dot(const std::vector<DescribedBlock>& blocks) {
  std::string nodes;
  std::string edges;
  for (const DescribedBlock& block : blocks) {
    nodes += fmt::format("  b{} [label=\"{}\"];\n", block.block.value, label_of(block));
    for (const DescribedEdge& edge : block.edges)
      edges += edge.label.empty() ? fmt::format("  b{} -> b{};\n", block.block.value, edge.target.value)
                                  : fmt::format("  b{} -> b{} [label=\"{}\"];\n", block.block.value,
                                                edge.target.value, edge.label);
  }
  return fmt::format("digraph dycl {{\n  node [shape=box, fontname=monospace];\n{}{}}}\n", nodes, edges);
}

}  // namespace dycl::report
