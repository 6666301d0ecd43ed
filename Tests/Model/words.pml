/* From here on this thread holds the word of x. */
inline hold(x) {
    held = held | bitOf(x);
    n[x].turns = 0
}

/* One turn of a loop over nodes. While a word is locked or detaching, others may wait for it, so its
   holder takes one turn at most, whatever the number of nodes. */
inline turn() {
    if
    :: held != 0 ->
        k = 1;
        do
        :: k <= NODES ->
            if
            :: has(held, k) -> n[k].turns = n[k].turns + 1; assert(n[k].turns <= 1)
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0
    :: else
    fi
}

/* Only the holder of a lock writes the word. */
inline unlockTo(x, newWord) {
    assert(n[x].flags == LOCKED);
    n[x].flags = newWord;
    n[x].turns = 0;
    held = (newWord == DETACHING -> held : held & ~bitOf(x));
    n[x].head = (isSettled(newWord) -> 0 : n[x].head)
}

inline unlock(x) {
    atomic { TOUCH(x); unlockTo(x, PENDING) }
}

/* The last touch of a node that was given up. */
inline setDetached(x) {
    n[x].flags = FAILURE;
    n[x].turns = 0;
    held = held & ~bitOf(x)
}

/* One compare-and-exchange from pending to locked, or the load that finds it settled. */
inline lockIfPending(x) {
#ifdef FAULT_LOCK_BY_STORE
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        ok = (n[x].flags == PENDING)
    }
    atomic {
        if
        :: ok -> n[x].flags = LOCKED; hold(x)
        :: else
        fi
    }
#else
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        if
        :: n[x].flags == PENDING -> n[x].flags = LOCKED; hold(x); ok = 1
        :: else -> ok = 0
        fi
    }
#endif
}

inline tryLock(x) {
    atomic {
#ifdef FAULT_SPLICE_OUT_WAITS
        untilUnlocked(x);
#endif
        TOUCH(x);
        if
        :: n[x].flags == PENDING -> n[x].flags = LOCKED; hold(x); ok = 1
        :: else -> ok = 0
        fi
    }
}

/* claim(as:) of a node that has no list: nothing happens between its locking and its unlocking. */
inline claimAs(x, newWord) {
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        if
        :: n[x].flags == PENDING -> n[x].flags = LOCKED; hold(x); unlockTo(x, newWord); ok = 1
        :: else -> ok = 0
        fi
    }
}

inline waitUntilDetached(x) {
#ifndef FAULT_NO_WAIT_UNTIL_DETACHED
    atomic { untilDetached(x); TOUCH(x) }
#else
    skip
#endif
}

inline addReference(x) {
    assert(n[x].life == ALIVE && n[x].rc > 0);
    n[x].rc = n[x].rc + 1
}

/* Gives back a reference that cannot be the last. */
inline dropReference(x) {
    assert(n[x].rc > 1);
    n[x].rc = n[x].rc - 1
}

/* retainUpstream(): `up`, or 0. Situations 2 and 3 of Core.md. */
inline retainUpstream(w) {
    atomic { TOUCH(w); up = n[w].upstream }
    atomic {
        if
        :: up != 0 ->
            TOUCH(up);
            if
#ifndef FAULT_RETAIN_WITHOUT_TRY
            :: n[up].life == DEINIT -> up = 0
#endif
            :: else -> addReference(up)
            fi
        :: else
        fi
    }
}
