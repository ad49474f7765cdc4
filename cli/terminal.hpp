// What depends on a terminal: colour, and the progress line of long work.
// Called by main.cpp for errors and by the subcommands that compute.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tenfold::cli {

// `text` in bold red if `descriptor` is a terminal that wants colour (NO_COLOR is not set).
std::string in_alarm_colour(std::string_view text, int descriptor);

// Shows on standard error what is being done, from the second second on, and wipes the line at the
// end. Does nothing when standard error is not a terminal or `quiet`. Destroy it before printing.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void stage(std::string text);  // "reading x.npy"

 private:
  void show();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string stage_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace tenfold::cli
