// Some of many destinations hang: the others do not feel it. The figures are those of `bench/run http-hanging`.
#include "tests/integration/http_zoo/memory.hpp"
#include "tests/integration/http_zoo/relay_at_the_zoo.hpp"

namespace makegood {
namespace {

constexpr std::size_t healthy_count = 80;
constexpr std::size_t hanging_count = 20;
constexpr std::size_t messages_each = 10;
constexpr std::size_t growth_beside_hanging_max = std::size_t{48} << 20;

using NameList = std::vector<std::string>;

class ManyDestinations : public RelayAtTheZoo {
 protected:
  NameList add_many(const std::string& prefix, std::size_t count, const std::string& animal) {
    NameList names;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(prefix + std::to_string(i));
      add(names.back(), animal, {.timeout = 5min});
    }
    return names;
  }
  void enqueue_for(const NameList& names) {
    std::vector<NewMessage> messages;
    for (std::size_t i = 0; i < messages_each; ++i) {
      for (const std::string& name : names) messages.push_back({.topic = name + ".thing", .payload = "{}"});
    }
    enqueue(messages);
  }

  const NameList healthy_ = add_many("healthy", healthy_count, "ok");
  const NameList hanging_ = add_many("hanging", hanging_count, "hang");
};

TEST_F(ManyDestinations, AreServedBesideThoseThatHang) {
  start_relay();
  enqueue_for(hanging_);
  ASSERT_TRUE(zoo().await_visits("hang", hanging_count * messages_each)) << "they hold all that they got";
  const std::size_t threads = thread_count();
  const MemoryWatch memory;
  enqueue_for(healthy_);
  for (const std::string& name : healthy_) {
    EXPECT_TRUE(ends_.await("http:" + name, Fate::delivered, messages_each)) << name;
  }
  EXPECT_EQ(thread_count(), threads + 1) << "only the one that watches the memory is new";
  EXPECT_LT(memory.growth_max(), growth_beside_hanging_max);
  for (const std::string& name : hanging_)
    EXPECT_EQ(ends_.count("http:" + name, Fate::retried), 0U) << "it still hangs";
  stop_relay(0ms);
}

}  // namespace
}  // namespace makegood
