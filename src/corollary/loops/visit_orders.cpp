// The orders in which the epochs of a fit visit its rows: of every epoch the permutation
// that NumPy draws from a generator of its own,
//
//   Generator(Philox(SeedSequence(seed, spawn_key=(epoch, first_row)))).permutation(n)
//
// whose state costs more to make in Python than few rows to visit.
// References: Salmon, Moraes, Dror and Shaw (2011), Philox; O'Neill (2015), seed_seq.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "loops.hpp"

namespace corollary {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t POOL = 4;  // words

// The least significant word first; 0 has one too.
void add_words(std::uint64_t number, Words& words) {
    do words.push_back(std::uint32_t(number));
    while ((number >>= 32) != 0);
}

struct Hash {
    std::uint32_t constant, factor;

    std::uint32_t operator()(std::uint32_t value) {
        value ^= constant;
        constant *= factor;
        value *= constant;
        return value ^ value >> 16;
    }
};

std::uint32_t mixed(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t value = 0xca01f9ddU * x - 0x4973f715U * y;
    return value ^ value >> 16;
}

// The two numbers that a seed and the key of a purpose make.
std::array<std::uint64_t, 2> key_of(std::uint64_t seed, std::uint64_t epoch,
                                    std::uint64_t first_row) {
    Words words;
    add_words(seed, words);
    words.resize(POOL, 0);
    add_words(epoch, words);
    add_words(first_row, words);
    std::array<std::uint32_t, POOL> pool;
    Hash in{0x43b0d7e5U, 0x931e8875U}, out{0x8b51f9ddU, 0x58f38dedU};
    for (std::size_t i = 0; i < POOL; ++i) pool[i] = in(words[i]);
    for (std::size_t i = 0; i < POOL; ++i)
        for (std::size_t to = 0; to < POOL; ++to)
            if (i != to) pool[to] = mixed(pool[to], in(pool[i]));
    for (std::size_t i = POOL; i < words.size(); ++i)
        for (std::size_t to = 0; to < POOL; ++to)
            pool[to] = mixed(pool[to], in(words[i]));
    std::array<std::uint64_t, 2> key{};
    for (std::size_t i = 0; i < POOL; ++i)
        key[i / 2] |= std::uint64_t(out(pool[i])) << (i % 2 * 32);
    return key;
}

// Random bits by encrypting a counter, four numbers at a time.
class Philox {
  public:
    explicit Philox(std::array<std::uint64_t, 2> key) : key_(key) {}

    std::uint32_t word() {
        if (half_) {
            half_ = false;
            return std::uint32_t(number_ >> 32);
        }
        number_ = number();
        half_ = true;
        return std::uint32_t(number_);
    }

    std::uint64_t number() {
        if (at_ == 4) {
            encrypt();
            at_ = 0;
        }
        return block_[at_++];
    }

  private:
    using Wide = unsigned __int128;

    void encrypt() {
        for (std::uint64_t& count : counter_)
            if (++count != 0) break;
        block_ = counter_;
        std::array<std::uint64_t, 2> key = key_;
        for (int round = 0; round < 10; ++round) {
            const Wide a = Wide(0xD2E7470EE14C6C93U) * block_[0];
            const Wide b = Wide(0xCA5A826395121157U) * block_[2];
            block_ = {std::uint64_t(b >> 64) ^ block_[1] ^ key[0], std::uint64_t(b),
                      std::uint64_t(a >> 64) ^ block_[3] ^ key[1], std::uint64_t(a)};
            key[0] += 0x9E3779B97F4A7C15U;
            key[1] += 0xBB67AE8584CAA73BU;
        }
    }

    std::array<std::uint64_t, 2> key_;
    std::array<std::uint64_t, 4> counter_{}, block_{};
    std::size_t at_ = 4;  // of the next number in the block
    std::uint64_t number_ = 0;
    bool half_ = false;  // whether half of the last number is left
};

// Swap every place from the last on with a random one up to it.  The bits that make one
// are drawn until they make a number that is no larger; while they do not, the place is
// swapped with itself, for no processor could guess the branch.
void shuffle(Philox& draw, std::int64_t* order, Index n) {
    Index i = n - 1;
    while (i > 0) {
        const std::uint64_t mask =
            ~std::uint64_t(0) >> std::countl_zero(std::uint64_t(i));
        const bool wide = mask >> 32;
        for (const Index last = Index(mask >> 1); i > last;) {
            const Index j = Index((wide ? draw.number() : draw.word()) & mask);
            std::swap(order[i], order[std::min(i, j)]);
            i -= j <= i;
        }
    }
}

void visit_orders(std::uint64_t seed, std::uint64_t epoch, std::uint64_t first_row,
                  const std::int64_t* which, Index n, Index epochs,
                  std::int64_t* orders) {
    for (Index e = 0; e < epochs; ++e) {
        Philox draw(key_of(seed, epoch + std::uint64_t(e), first_row));
        std::int64_t* order = orders + e * n;
        std::copy_n(which, n, order);
        shuffle(draw, order, n);
    }
}

}  // namespace

void bind_visit_orders(nb::module_& m) {
    m.def(
        "visit_orders",
        [](std::uint64_t seed, std::uint64_t epoch, std::uint64_t first_row,
           Vector<const std::int64_t> which, Matrix<std::int64_t> orders) {
            nb::gil_scoped_release free;
            visit_orders(seed, epoch, first_row, which.data(), Index(which.shape(0)),
                         Index(orders.shape(0)), orders.data());
        },
        nb::arg("seed"), nb::arg("epoch"), nb::arg("first_row"), as_is("which"),
        as_is("orders"));
}

}  // namespace corollary
