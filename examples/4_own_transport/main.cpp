// A transport of one's own: deliveries become lines of a file, each confirmed when the disk has it.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <makegood/makegood.hpp>
#include <makegood/spi/transport.hpp>
#include <makegood/sqlite.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace makegood;

/// Carries deliveries to destinations `lines:<anything>`: into one file, on one thread.
class LinesTransport final : public Transport {
 public:
  explicit LinesTransport(const std::string& path) : file_(std::fopen(path.c_str(), "a")) {
    thread_ = std::thread([this] { run(); });
  }
  ~LinesTransport() override {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
    if (file_ != nullptr) std::fclose(file_);
  }

  TransportFeatures features() const override { return {.scheme = "lines"}; }

  /// Never blocks: the thread does the work.
  void send(std::vector<Delivery> deliveries, Completions& done) override {
    {
      const std::lock_guard lock(mutex_);
      for (Delivery& delivery : deliveries) waiting_.push_back({std::move(delivery), &done});
    }
    changed_.notify_all();
  }

  /// What has not started is forgotten, what has ends within the grace. Afterwards nobody posts to `done`.
  void drain(Completions& done, Duration grace) override {
    std::unique_lock lock(mutex_);
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), [&](const Job& job) { return job.done == &done; }),
                   waiting_.end());
    changed_.wait_for(lock, grace, [&] { return at_work_ != &done; });
    // A write to a file ends. A transport whose work can hang gives it up here, unseen.
    changed_.wait(lock, [&] { return at_work_ != &done; });
  }

 private:
  struct Job {
    Delivery delivery;
    Completions* done;
  };

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_over_ || !waiting_.empty(); });
      if (is_over_) return;
      const Job job = std::move(waiting_.front());
      waiting_.pop_front();
      at_work_ = job.done;
      lock.unlock();
      job.done->post({{job.delivery.ticket, write(job.delivery)}});  // Exactly once for each.
      lock.lock();
      at_work_ = nullptr;
      changed_.notify_all();
    }
  }

  /// A reply says what happened, and first of all whether anything left. What it means is the outbox's business.
  Reply write(const Delivery& delivery) {
    if (file_ == nullptr) return Reply::unreachable("LINES.NO_FILE", "The file cannot be opened.");
    if (!delivery.may_leave()) return Reply::withheld();  // Another process may have it by now.
    const std::string line =
        std::string(delivery.message->event_id) + " " + std::string(delivery.message->content) + "\n";
    const bool is_written = std::fwrite(line.data(), 1, line.size(), file_) == line.size();
    if (!is_written || std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) {
      return Reply::silent("LINES.DISK", "The disk refused it; a part may be there.");
    }
    return Reply::said(Outcome::ok());
  }

  std::FILE* const file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;         // Guarded by mutex_, as are the next two.
  Completions* at_work_ = nullptr;  // Whose delivery is being written.
  bool is_over_ = false;
  std::thread thread_;
};

bool enqueue(const std::string& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(path.c_str(), &opened);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(opened, sqlite3_close);
  if (status != SQLITE_OK) return false;
  sqlite3_busy_timeout(opened, 5000);
  const auto execute = [&](const char* sql) {
    return sqlite3_exec(opened, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
  };
  const NewMessage message{
      .topic = "orders.order.placed.v1", .payload = R"({"item":"a good book"})", .event_id = "order-1"};
  return execute("BEGIN IMMEDIATE") && sqlite::enqueue(opened, message) && execute("COMMIT");
}

bool await_line(const std::string& path) {
  for (int i = 0; i < 500; ++i) {
    std::FILE* file = std::fopen(path.c_str(), "r");
    char line[256] = {};
    const bool is_there = file != nullptr && std::fgets(line, sizeof line, file) != nullptr;
    if (file != nullptr) std::fclose(file);
    if (is_there) return std::printf("written: %s", line) > 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  Node node = Node::open("sqlite:" + folder + "/lines.db").value();
  node.add(std::make_unique<LinesTransport>(folder + "/lines.txt"));
  node.route("orders.*", Destination{.name = "lines:orders"});
  node.start().value();
  const bool is_fine = enqueue(folder + "/lines.db") && (node.wake(), await_line(folder + "/lines.txt"));
  node.stop();
  return is_fine ? 0 : 1;
}
