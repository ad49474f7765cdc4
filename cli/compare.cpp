// `tenfold compare`: its options and its help. The comparison itself calls the engines' Python
// packages, so the Python package of Tenfold does it; this program says where to get that.
#include <memory>

#include "common.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kCompareExamples = R"(
Part of the Python package: 'pip install .' in a copy of the project, or 'pip install' with a wheel
of it, installs a tenfold that has it. Each of the other engines takes part if its package is
installed. The exit code is 0 if none differs from the first, 1 if one does or fails, 2 for a wrong
call.

Examples:
  tenfold compare model.onnx
  tenfold compare model.onnx -i x=x.npy --engines tenfold,onnxruntime --ulps 4
)";

// What is parsed is only held against the table; Python reads it again.
struct CompareArguments {
  std::string model, engines, rtol, atol, ulps, seed, extent;
  std::vector<std::string> inputs;
};

}  // namespace

Command add_compare(CLI::App& app) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* sub = app.add_subcommand("compare", "Say where the results of several engines part");
  sub->footer(kCompareExamples);
  sub->allow_extras();
  sub->add_option("MODEL", arguments->model, "An ONNX model or an OpenVINO IR")
      ->required()
      ->type_name("");
  sub->add_option("-i,--input", arguments->inputs,
                  "Once for each input; what is not given is made up")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  sub->add_option("--engines", arguments->engines,
                  "Of tenfold,onnxruntime,openvino,onnx; the first is the reference")
      ->type_name("ENGINES");
  sub->add_option("--rtol", arguments->rtol, "Default: by type, 1e-4 for f32")->type_name("R");
  sub->add_option("--atol", arguments->atol, "Default: 1e-7")->type_name("A");
  sub->add_option("--ulps", arguments->ulps, "Most ULPs, instead of --rtol and --atol")
      ->type_name("N");
  sub->add_option("--seed", arguments->seed, "Of what is made up; default: 0")->type_name("N");
  sub->add_option("--extent", arguments->extent, "Of axes that the model leaves open; default: 4")
      ->type_name("N");
  return {sub, [arguments] {
            throw Error(
                ErrorCode::kUnsupportedFeature, "compare",
                "not in this program: the comparison is part of the Python package",
                "the tenfold command that 'pip install .' in a copy of the project installs");
          }};
}

}  // namespace tenfold::cli
