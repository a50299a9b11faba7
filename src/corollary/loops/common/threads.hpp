// The thread team: one a process, started when first needed, waiting on a condition
// variable between jobs.
//
//   for_blocks(n, block, threads, f)  calls  f(worker, begin, end)
//
// for every block of at most `block` of the numbers 0..n, on the caller and up to
// threads - 1 helpers, with 0 <= worker < threads. f must not throw. The call is serial
// when it is nested in another, or when another Python thread has the team. Ctrl-C ends it
// between two blocks.
//
//   together(threads, f)  calls  f(worker, barrier)
//
// once in each of barrier.workers <= threads threads, which wait for each other at
// barrier.wait(). Ctrl-C is the business of f. Where other programs keep the cores busy,
// every meeting lasts until all have had a turn on a core: after a job that took much
// longer than its thread worked, the caller works alone for a while.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

#include "barrier.hpp"
#include "interrupt.hpp"

namespace corollary {

class Team {
    using Clock = std::chrono::steady_clock;

  public:
    // Never destroyed: at exit the helpers sleep, and the process takes them along.
    static Team& of_this_process() {
        Team* team = current.load(std::memory_order_acquire);
        if (team != nullptr) return *team;
        auto* fresh = new Team;
        if (current.compare_exchange_strong(team, fresh)) {
            static std::once_flag once;
            std::call_once(once, [] { pthread_atfork(nullptr, nullptr, forget); });
            return *fresh;
        }
        delete fresh;
        return *team;
    }

    template <class F>
    void together(int threads, F& f) {
        std::unique_lock<std::mutex> turn(turn_, std::defer_lock);
        const Clock::time_point begin = Clock::now();
        bool alone = inside || threads <= 1 || !turn.try_lock();
        if (!alone && begin < alone_until_) {
            alone = true;
            turn.unlock();  // f may have jobs of its own
        }
        if (alone) {
            Barrier nobody(1);
            return f(0, nobody);
        }
        const double work = seconds_of_this_thread();
        hire(threads - 1);
        Barrier barrier(std::min(threads - 1, hired_) + 1);
        auto meet = [&f, &barrier](int worker, std::int64_t, std::int64_t) {
            f(worker, barrier);
        };
        Job job{&call<decltype(meet)>, &meet, barrier.workers, 1};
        job.once = true;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            job_ = &job;
            places_ = barrier.workers - 1;
        }
        wake_.notify_all();
        inside = true;
        f(0, barrier);
        inside = false;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            done_.wait(lock, [this] { return places_ == 0 && working_ == 0; });
        }
        mind_crowd(begin, barrier.workers * (seconds_of_this_thread() - work));
    }

    template <class F>
    void for_blocks(std::int64_t n, std::int64_t block, int threads, F& f) {
        Job job{&call<F>, &f, n, block};
        const std::int64_t blocks = (n + block - 1) / block;
        threads = static_cast<int>(std::min<std::int64_t>(threads, blocks));
        std::unique_lock<std::mutex> turn(turn_, std::defer_lock);
        if (inside || blocks <= 1) return job.work(0);
        Watch watch;
        if (threads <= 1 || !turn.try_lock()) {
            job.work(0, &watch);
            return watch.raise();
        }
        hire(threads - 1);
        {
            std::lock_guard<std::mutex> lock(mutex_);
            job_ = &job;
            places_ = threads - 1;
        }
        wake_.notify_all();
        inside = true;
        job.work(0, &watch);
        inside = false;
        {
            std::unique_lock<std::mutex> lock(mutex_);
            places_ = 0;  // no block is left for a helper that has not woken yet
            done_.wait(lock, [this] { return working_ == 0; });
        }
        turn.unlock();
        watch.raise();
    }

  private:
    struct Job {
        void (*call)(void*, int, std::int64_t, std::int64_t);
        void* f;
        std::int64_t n, block;
        std::atomic<std::int64_t> next = 0;
        int helpers = 0;
        bool once = false;  // a call for each worker, not for each block

        void work(int worker, Watch* watch = nullptr) {
            if (once) return call(f, worker, worker, worker + 1);
            for (;;) {
                if (watch != nullptr && watch->stopped()) {
                    next = n;
                    return;
                }
                const std::int64_t begin = next.fetch_add(block);
                if (begin >= n) return;
                call(f, worker, begin, std::min(n, begin + block));
            }
        }
    };

    template <class F>
    static void call(void* f, int worker, std::int64_t begin, std::int64_t end) {
        (*static_cast<F*>(f))(worker, begin, end);
    }

    // `work`: seconds that one thread would have needed for the job.
    void mind_crowd(Clock::time_point begin, double work) {
        using Seconds = std::chrono::duration<double>;
        constexpr double CROWDED = 2, SHORT = 0.01, WHILE = 8, LONGEST = 10;
        const Clock::time_point end = Clock::now();
        const double took = Seconds(end - begin).count();
        if (took < std::max(SHORT, CROWDED * work)) return;
        const Seconds pause(std::min(WHILE * took, LONGEST));
        alone_until_ = end + std::chrono::duration_cast<Clock::duration>(pause);
    }

    static double seconds_of_this_thread() {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
    }

    // Threads do not survive fork(): the child starts a team of its own.
    static void forget() {
        current.store(nullptr);
        inside = false;
    }

    void hire(int helpers) {
        sigset_t all, before;  // signals are the business of Python's main thread
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            for (; hired_ < helpers; ++hired_) std::thread([this] { help(); }).detach();
        } catch (const std::system_error&) {
            // The system gives no more threads: those hired and the caller do the work.
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void help() {
        inside = true;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return places_ > 0; });
            --places_;
            ++working_;
            Job& job = *job_;
            const int worker = ++job.helpers;
            lock.unlock();
            job.work(worker);
            lock.lock();
            if (--working_ == 0) done_.notify_one();
        }
    }

    inline static std::atomic<Team*> current = nullptr;
    inline static thread_local bool inside = false;

    std::mutex turn_;   // one job at a time
    std::mutex mutex_;  // guards what follows
    std::condition_variable wake_, done_;
    Job* job_ = nullptr;
    int places_ = 0;   // helpers that may still join the job
    int working_ = 0;  // helpers at work on it
    // Guarded by turn_:
    int hired_ = 0;
    Clock::time_point alone_until_{};
};

template <class F>
void together(int threads, F&& f) {
    Team::of_this_process().together(threads, f);
}

template <class F>
void for_blocks(std::int64_t n, std::int64_t block, int threads, F&& f) {
    Team::of_this_process().for_blocks(n, block, threads, f);
}

}  // namespace corollary
