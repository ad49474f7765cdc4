// The one object of a type in the process, for what all threads share. It is never destroyed, since
// threads may outlive main. Called by the caches of plans and of memory and by those of a graph.
#pragma once

#include <pthread.h>

namespace tenfold {

// T has lock() and unlock(): a fork waits until no thread is within, since nobody would leave it in
// the child.
template <class T>
T& immortal() {
  static T& one = *[] {
    pthread_atfork([] { immortal<T>().lock(); }, [] { immortal<T>().unlock(); },
                   [] { immortal<T>().unlock(); });
    return new T;
  }();
  return one;
}

}  // namespace tenfold
