// Any equation, as text or as lists, over any shapes: refused with an Error that shows the place,
// or parsed to labels that fit the shapes and that read back as the same.
#include "equation_input.hpp"

#include <algorithm>
#include <string_view>

#include "core/utf8.hpp"
#include "einsum/equation.hpp"
#include "property.hpp"

namespace tenfold::fuzz {
namespace {

using einsum_detail::Equation;

std::vector<std::int64_t> output_shape(const Equation& equation) {
  std::vector<std::int64_t> shape;
  for (const int label : equation.output)
    shape.push_back(equation.sizes.at(static_cast<std::size_t>(label)));
  return shape;
}

void check_accepted(const Equation& equation, const EquationInput& input) {
  TENFOLD_PROPERTY(equation.inputs.size() == input.shapes.size());
  TENFOLD_PROPERTY(equation.names.size() == equation.sizes.size());
  for (std::size_t i = 0; i < input.shapes.size(); ++i) {
    const Dims& shape = input.shapes[i];
    TENFOLD_PROPERTY(equation.inputs[i].size() == static_cast<std::size_t>(shape.size()));
    for (int axis = 0; axis < shape.size(); ++axis) {
      const int label = equation.inputs[i][static_cast<std::size_t>(axis)];
      const std::int64_t size = equation.sizes.at(static_cast<std::size_t>(label));
      TENFOLD_PROPERTY(shape[axis] == size || shape[axis] == 1);
    }
  }
  std::vector<int> labels = equation.output;
  std::ranges::sort(labels);
  TENFOLD_PROPERTY(std::ranges::adjacent_find(labels) == labels.end());

  const std::string text = equation.text();
  if (text.find('{') != text.npos) return;  // integers for which there are no letters
  const Equation again = einsum_detail::parse_equation({.equation = text}, input.shapes);
  TENFOLD_PROPERTY(again.text() == text);
  TENFOLD_PROPERTY(output_shape(again) == output_shape(equation));
}

void check_refused(const Error& error) {
  const ErrorCode code = error.code();
  TENFOLD_PROPERTY((code >= ErrorCode::kEquationSyntax && code <= ErrorCode::kEquationOutput) ||
                   code == ErrorCode::kRankTooLarge || code == ErrorCode::kSizeOverflow);
  const ErrorPlace* place = error.place();
  TENFOLD_PROPERTY(place != nullptr && !place->marks.empty());
  for (const ErrorMark& mark : place->marks) {
    TENFOLD_PROPERTY(mark.offset >= 0 && mark.length >= 0 && !mark.note.empty());
    TENFOLD_PROPERTY(static_cast<std::size_t>(mark.offset) +
                         static_cast<std::size_t>(mark.length) <=
                     place->equation.size());
  }
  const std::string_view text = error.what();
  TENFOLD_PROPERTY(text.size() < 3000 && text.find("\n") != text.npos);
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    TENFOLD_PROPERTY(character.valid && (character.code >= ' ' || character.code == '\n'));
    at += static_cast<std::size_t>(character.bytes);
  }
}

}  // namespace
}  // namespace tenfold::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenfold;
  const fuzz::EquationInput input = fuzz::equation_input(data, size);
  try {
    fuzz::check_accepted(einsum_detail::parse_equation(input.spec, input.shapes), input);
  } catch (const Error& error) {
    fuzz::check_refused(error);
  }
  return 0;
}
