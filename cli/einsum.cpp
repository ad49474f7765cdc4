// `tenfold einsum`: one equation on files.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "contraction.hpp"
#include "result.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kEinsumExamples = R"(
Each FILE is an operand: .npy, .npz (file.npz:name for one of several), .pb (ONNX TensorProto) or
.safetensors. '-' reads an .npy from standard input. 'tenfold explain EQUATION' says how it runs.

Examples:
  tenfold einsum 'bqd,bkd->bqk' q.npy k.npy -o s.npy
  tenfold einsum 'ij,jk,kl->il' a.npy b.npy c.npy --path 1,2/0,1
  tenfold einsum '...ij->...ji' x.npy --dialect onnx:28
  tenfold einsum 'ii' x.npy --dtype f64
  cat x.npy | tenfold einsum 'i,i->' - w.npy --json
)";

struct EinsumArguments {
  Common common;
  ContractionOptions contraction;
  std::vector<std::string> files;
  std::string output, input_type;
};

void contract_files(const EinsumArguments& arguments) {
  check_result_options("einsum", arguments.output, arguments.common.json);
  if (std::ranges::count(arguments.files, "-") > 1) {
    throw usage_error("einsum", "standard input can be read once only");
  }
  const RunOptions run = run_options(arguments.common);
  const EinsumSpec spec = parse_contraction(arguments.contraction);
  io::ReadOptions read;
  if (!arguments.input_type.empty()) read.dtype = parse_type("--input-dtype", arguments.input_type);

  Json head;
  head["equation"] = arguments.contraction.equation;
  head["dialect"] = arguments.contraction.dialect;
  deliver_result(arguments.common, arguments.output, std::move(head), [&](Progress& progress) {
    std::vector<Tensor> tensors;
    std::vector<TensorView> operands;
    for (const std::string& file : arguments.files) {
      progress.stage("reading " + file);
      tensors.push_back(io::load(file, read));
      operands.push_back(std::as_const(tensors.back()).view());
    }
    progress.stage("contracting");
    return einsum(spec, operands, run);
  });
}

}  // namespace

Command add_einsum(CLI::App& app) {
  const auto arguments = std::make_shared<EinsumArguments>();
  CLI::App* sub = add_subcommand(app, "einsum", "Contract the tensors in files by an equation",
                                 kEinsumExamples, arguments->common);
  sub->add_option("EQUATION", arguments->contraction.equation,
                  "For example 'ij,jk->ik'; a term of letters for each operand")
      ->required()
      ->type_name("");
  sub->add_option("FILE", arguments->files, "The operands; '-': standard input")
      ->required()
      ->type_name("");
  sub->add_option("--dialect", arguments->contraction.dialect,
                  "Rules: numpy, onnx, onnx:OPSET or openvino")
      ->type_name("NAME")
      ->capture_default_str();
  sub->add_option("--dtype", arguments->contraction.dtype, "numpy: compute and return in this type")
      ->type_name("TYPE");
  add_order_options(*sub, arguments->contraction);
  sub->add_option("--input-dtype", arguments->input_type, "bf16 for .npy files of 2-byte void")
      ->type_name("TYPE");
  sub->add_option("-o,--output", arguments->output,
                  "Where the result goes; '-': .npy on standard output")
      ->type_name("FILE");
  sub->add_option("--threads", arguments->common.threads, "Most threads to use; default: all")
      ->type_name("N");
  sub->add_flag("--json", arguments->common.json, "Print the result as JSON");
  return {sub, [arguments] { contract_files(*arguments); }};
}

}  // namespace tenfold::cli
