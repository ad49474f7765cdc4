#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace tenfold::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{2000};  // work shorter than this shows nothing
constexpr milliseconds kTick{200};
constexpr std::size_t kTerminalWidth = 70;

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) == "dumb";
}

bool wants_colour(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && !is_dumb() && isatty(descriptor) != 0;
}

}  // namespace

std::string in_alarm_colour(std::string_view text, int descriptor) {
  return wants_colour(descriptor) ? fmt::format("\x1b[1;31m{}\x1b[0m", text) : std::string(text);
}

Progress::Progress(bool quiet) {
  if (quiet || isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = std::thread([this] {
      try {
        show();
      } catch (...) {  // the work matters, its progress line does not
      }
    });
  } catch (const std::system_error&) {  // no thread to be had: no progress line
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Progress::stage(std::string text) {
  const std::lock_guard lock(mutex_);
  stage_ = std::move(text);
}

void Progress::show() {
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kPatience, [this] { return done_; })) return;
  while (!done_) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const std::string line = fmt::format("tenfold: {}, {:.0f} s", stage_, seconds);
    std::fprintf(stderr, "\r%-*s", static_cast<int>(kTerminalWidth), line.c_str());
    std::fflush(stderr);
    changed_.wait_for(lock, kTick, [this] { return done_; });
  }
  std::fprintf(stderr, "\r%*s\r", static_cast<int>(kTerminalWidth), "");
  std::fflush(stderr);
}

}  // namespace tenfold::cli
