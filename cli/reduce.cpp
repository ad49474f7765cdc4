// `tenfold reduce`: one operator on one file.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "call.hpp"
#include "common.hpp"
#include "result.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kReduceExamples = R"(
FILE is .npy, .npz (file.npz:name for one of several), .pb (ONNX TensorProto) or .safetensors;
.raw and .bin need --shape and --input-dtype. '-' reads an .npy from standard input.

Examples:
  tenfold reduce max x.npy --axes -1 --keepdims 0
  tenfold reduce ReduceL2 image.npy --dialect onnx:13 --axes 0,2
  tenfold reduce mean x.raw --shape 32x256 --input-dtype f16 --axes 1 -o mean.npy
  tenfold reduce sum ids.npy --dialect numpy --dtype i32
  cat x.npy | tenfold reduce logsumexp - --axes 1 -o - > y.npy
)";

struct ReduceArguments {
  Common common;
  CallOptions call;
  std::string file, output, input_shape, input_type;
};

Tensor load_input(const ReduceArguments& arguments) {
  io::ReadOptions read;
  if (!arguments.input_type.empty()) read.dtype = parse_type("--input-dtype", arguments.input_type);
  const bool shape_given = !arguments.input_shape.empty();
  if (shape_given) read.shape = parse_shape("--shape", arguments.input_shape);
  if (arguments.file == "-" && shape_given) return io::read_raw(read_stdin(), read);
  return io::load(arguments.file, read);
}

void reduce_file(const ReduceArguments& arguments) {
  check_result_options("reduce", arguments.output, arguments.common.json);
  const RunOptions run = run_options(arguments.common);
  const Call call = parse_call(arguments.call);

  Json head;
  head["operator"] = arguments.call.op;
  head["dialect"] = arguments.call.dialect;
  deliver_result(arguments.common, arguments.output, std::move(head), [&](Progress& progress) {
    progress.stage("reading " + arguments.file);
    const Tensor input = load_input(arguments);
    progress.stage("reducing");
    return reduce(input, resolve_call(call, input), run);
  });
}

}  // namespace

Command add_reduce(CLI::App& app) {
  const auto arguments = std::make_shared<ReduceArguments>();
  CLI::App* sub = add_subcommand(app, "reduce", "Reduce the tensor in a file with one operator",
                                 kReduceExamples, arguments->common);
  sub->add_option("OP", arguments->call.op, "ReduceMax or max; 'tenfold ops' lists them")
      ->required()
      ->type_name("");
  sub->add_option("FILE", arguments->file, "The tensor; '-': standard input")
      ->required()
      ->type_name("");
  add_call_options(*sub, arguments->call);
  sub->add_option("--shape", arguments->input_shape, "Shape of raw data, for example 32x256")
      ->type_name("SHAPE");
  sub->add_option("--input-dtype", arguments->input_type,
                  "Type of raw data, or bf16 for an .npy of 2-byte void")
      ->type_name("TYPE");
  sub->add_option("-o,--output", arguments->output,
                  "Where the result goes; '-': .npy on standard output")
      ->type_name("FILE");
  sub->add_option("--threads", arguments->common.threads, "Most threads to use; default: all")
      ->type_name("N");
  sub->add_flag("--json", arguments->common.json, "Print the result as JSON");
  return {sub, [arguments] { reduce_file(*arguments); }};
}

}  // namespace tenfold::cli
