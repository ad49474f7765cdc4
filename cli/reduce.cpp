// `tenfold reduce`: one operator on one file.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "call.hpp"
#include "common.hpp"
#include "outputs.hpp"
#include "result.hpp"
#include "terminal.hpp"

namespace tenfold::cli {
namespace {

constexpr const char* kExamples = R"(
FILE is .npy, .npz (file.npz:name for one of several), .pb (ONNX TensorProto) or .safetensors;
.raw and .bin need --shape and --input-dtype. '-' reads an .npy from standard input.

Examples:
  tenfold reduce max x.npy --axes -1 --keepdims 0
  tenfold reduce ReduceL2 image.npy --dialect onnx:13 --axes 0,2
  tenfold reduce mean x.raw --shape 32x256 --input-dtype f16 --axes 1 -o mean.npy
  tenfold reduce sum ids.npy --dialect numpy --dtype i32
  cat x.npy | tenfold reduce logsumexp - --axes 1 -o - > y.npy
)";

struct Options {
  Common common;
  CallOptions call;
  std::string file, output, input_shape, input_type;
};

Tensor load_input(const Options& options) {
  io::ReadOptions read;
  if (!options.input_type.empty()) read.dtype = parse_type("--input-dtype", options.input_type);
  const bool shape_given = !options.input_shape.empty();
  if (shape_given) read.shape = parse_shape("--shape", options.input_shape);
  if (options.file == "-" && shape_given) return io::read_raw(read_stdin(), read);
  return io::load(options.file, read);
}

void reduce_file(const Options& options) {
  check_result_options("reduce", options.output, options.common.json);
  const RunOptions run = run_options(options.common);
  const Call call = parse_call(options.call);

  Tensor result;
  OutputFiles files;
  {
    Progress progress(options.common.quiet);
    progress.stage("reading " + options.file);
    const Tensor input = load_input(options);
    progress.stage("reducing");
    result = reduce(input, resolve_call(call, input), run);
    if (!options.output.empty() && options.output != "-") {
      progress.stage("writing " + options.output);
      files.write(options.output, result);
    }
  }
  files.commit();
  if (options.output == "-") io::save("-", result);
  Json head;
  head["operator"] = options.call.op;
  head["dialect"] = options.call.dialect;
  print_result(options.common, options.output, std::move(head), result);
}

}  // namespace

Command add_reduce(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub = add_subcommand(app, "reduce", "Reduce the tensor in a file with one operator",
                                 kExamples, options->common);
  sub->add_option("OP", options->call.op, "ReduceMax or max; 'tenfold ops' lists them")
      ->required()
      ->type_name("");
  sub->add_option("FILE", options->file, "The tensor; '-': standard input")
      ->required()
      ->type_name("");
  add_call_options(*sub, options->call);
  sub->add_option("--shape", options->input_shape, "Shape of raw data, for example 32x256")
      ->type_name("SHAPE");
  sub->add_option("--input-dtype", options->input_type,
                  "Type of raw data, or bf16 for an .npy of 2-byte void")
      ->type_name("TYPE");
  sub->add_option("-o,--output", options->output,
                  "Where the result goes; '-': .npy on standard output")
      ->type_name("FILE");
  sub->add_option("--threads", options->common.threads, "Most threads to use; default: all")
      ->type_name("N");
  sub->add_flag("--json", options->common.json, "Print the result as JSON");
  return {sub, [options] { reduce_file(*options); }};
}

}  // namespace tenfold::cli
