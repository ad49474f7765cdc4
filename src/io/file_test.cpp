// Tests of read_file and write_file (file.cpp).
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "io/io_testing.hpp"

namespace tenfold::io::testing {
namespace {

namespace fs = std::filesystem;

TEST(File, WhatIsWrittenIsRead) {
  const Folder folder;
  for (const std::string& text : {""s, "a"s, std::string(200'000, 'x')}) {
    write_file(folder / "f", as_bytes(text));
    EXPECT_EQ(as_text(read_file(folder / "f")), text);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

TEST(File, ReadsFilesThatHideTheirSize) {
  EXPECT_FALSE(read_file("/proc/self/status").empty());
  EXPECT_TRUE(read_file("/dev/null").empty());
  const Folder folder;
  ASSERT_EQ(0, ::mkfifo((folder / "pipe").c_str(), 0600));
  const std::string text(300'000, 'y');
  std::thread writer([&] { write_file(folder / "pipe", as_bytes(text)); });
  EXPECT_EQ(as_text(read_file(folder / "pipe")), text);
  writer.join();
  EXPECT_TRUE(fs::is_fifo(folder.path() / "pipe"));
}

TEST(File, FailuresNameTheFileAndTheReason) {
  const Folder folder;
  expect_error(ErrorCode::kFile, folder / "none" + "] cannot open: got No such file",
               [&] { read_file(folder / "none"); });
  expect_error(ErrorCode::kFile, "Is a directory", [&] { read_file(folder.path()); });
  expect_error(ErrorCode::kFile, "No such file or directory",
               [&] { write_file(folder / "none/f", as_bytes("x")); });
  folder.put("f", "old");
  expect_error(ErrorCode::kFile, "Not a directory",
               [&] { write_file(folder / "f/g", as_bytes("x")); });
  expect_error(ErrorCode::kFile, "No space left on device",
               [] { write_file("/dev/full", as_bytes("x")); });
}

TEST(File, AFailedWriteLeavesNothingBehind) {
  const Folder folder;
  fs::create_directories(folder.path() / "target" / "inner");
  expect_error(ErrorCode::kFile, "Is a directory",
               [&] { write_file(folder / "target", as_bytes("x")); });
  EXPECT_EQ(folder.names(), std::vector<std::string>{"target"});
  EXPECT_TRUE(fs::is_directory(folder.path() / "target" / "inner"));
  // A name that is too long for the file, while the temporary one can be made.
  expect_error(ErrorCode::kFile, "name too long",
               [&] { write_file(folder / std::string(300, 'n'), as_bytes("x")); });
  EXPECT_EQ(folder.names(), std::vector<std::string>{"target"});
}

TEST(File, AWriteThatRunsIntoALimitLeavesTheOldFile) {
  const Folder folder;
  folder.put("f", "old");
  const pid_t child = ::fork();
  if (child == 0) {  // limits and signals of this process alone
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    try {
      write_file(folder / "f", as_bytes(std::string(5000, 'x')));
      ::_exit(1);
    } catch (const Error& e) {
      ::_exit(e.code() == ErrorCode::kFile ? 0 : 2);
    }
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(as_text(read_file(folder / "f")), "old");
}

TEST(File, PermissionsAreThoseOfANewFile) {
  const Folder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "f", as_bytes("x"));
  ::umask(before);
  struct stat info = {};
  ASSERT_EQ(0, ::stat((folder / "f").c_str(), &info));
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(File, ALinkStaysALink) {
  const Folder folder;
  folder.put("file", "old");
  fs::create_symlink("file", folder.path() / "link");
  fs::create_symlink("later", folder.path() / "dangling");
  write_file(folder / "link", as_bytes("new"));
  write_file(folder / "dangling", as_bytes("born"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(as_text(read_file(folder / "file")), "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "dangling"));
  EXPECT_EQ(as_text(read_file(folder / "later")), "born");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"dangling", "file", "later", "link"}));
}

TEST(File, DevicesAreNotReplaced) {
  write_file("/dev/null", as_bytes("x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(File, RelativeNamesAreWrittenInTheCurrentFolder) {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("plain", as_bytes("x"));
  fs::current_path(before);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"plain"});
}

}  // namespace
}  // namespace tenfold::io::testing
