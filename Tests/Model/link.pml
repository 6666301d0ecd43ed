/* Splice: takes `m`, locked, out; `only`, locked, takes its place. `done` if it did. */
inline splice(m, only, callerRetains) {
    done = 0;
    up = 0;
    ok = n[m].isForwarding && n[m].head == only && n[only].next == 0;
    if
    :: ok ->
        retainUpstream(m);
        if
        :: up != 0 ->
            tryLock(up);
            if
            :: ok ->
#ifndef FAULT_SPLICE_UNLINKED
                ok = n[m].isLinked;
#endif
                if
                :: ok ->
                    /* take(_:of:for:_:) */
                    if
                    :: callerRetains -> atomic { assert(n[m].rc > 1); n[m].rc = n[m].rc - 1 }
                    :: else
                    fi;
                    atomic {
                        TOUCH(m);
                        TOUCH(only);
                        assert(n[up].flags == LOCKED && n[m].flags == LOCKED);
                        assert(n[only].flags == LOCKED && n[m].upstream == up);
#ifdef FAULT_SPLICE_SHARED
                        done = 1;
#else
                        done = (n[m].rc == 1);
#endif
                        if
                        :: done ->
                            d_step {
                                fillInPrevious(up);
                                if
                                :: n[m].next != 0 -> n[n[m].next].previous = only
                                :: else
                                fi;
                                if
                                :: n[m].previous != 0 -> n[n[m].previous].next = only
                                :: else -> assert(n[up].head == m); n[up].head = only
                                fi;
                                n[only].next = n[m].next;
                                n[only].previous = n[m].previous;
#ifdef FAULT_SPLICE_KEEPS_ROLE
                                n[only].upstream = up;
#else
                                waitFor(only, up);
#endif
                                n[only].isLinked = 1;
                                n[m].result = CANCELLED;
                                n[m].head = 0;
                                n[m].flags = FAILURE
                            }
                        :: else ->
                            n[m].rc = n[m].rc + 1 + callerRetains
                        fi
                    }
                    PUSH(release, m, 0)
                :: else
                fi;
                unlock(up)
            :: else
            fi;
            PUSH(release, up, 0)
        :: else
        fi
    :: else
    fi;
    if
    :: !done -> unlock(m)
    :: else
    fi
}

/* Future.follow(_:), FutureNode.forward(from:deliver:) */
inline doFollow() {
    atomic { TOUCH(y); ok = isSettled(n[y].flags) }
    if
    :: ok -> PUSH(finishDerived, x, y)
    :: else ->
        lockIfPending(x);
        if
        :: ok ->
            atomic {
                TOUCH(x);
                waitFor(x, y);
                n[x].isLinked = 0;
                n[x].isForwarding = 1
            }
            unlock(x);
            PUSH(link, x, y)
        :: else ->
            waitUntilLeft(x);
#ifndef FAULT_FORWARD_FORGETS_INTEREST
            PUSH(giveUpInterest, y, 0)
#endif
        fi
    fi
}

/* FutureNode.bypass(_:) of x, of which this thread owns a reference. */
inline doBypass() {
    /* lockWithOnlyWaiter(), the second part; the first is `shorten`. */
    if
    :: !y ->
        PUSH(bypass, x, 1);
        PUSH(shorten, x, 0)
    :: else ->
        atomic { TOUCH(x); ok = (n[x].head != 0) }
        if
        :: ok -> lockIfPending(x)
        :: else
        fi;
        if
        :: ok ->
            i = n[x].head;
            if
            :: i != 0 && n[i].next == 0 -> tryLock(i)
            :: else -> ok = 0
            fi;
            if
            :: ok && n[i].isForwarding ->
                splice(x, i, 1);
                unlock(i);
                ok = done
            :: ok && !n[i].isForwarding ->
                unlock(i);
                unlock(x);
                ok = 0
            :: else -> unlock(x)
            fi
        :: else
        fi;
        if
        :: !ok -> PUSH(release, x, 0)
        :: else
        fi
    fi
}

/* FutureNode.shorten() */
inline doShorten() {
    if
    :: n[x].isForwarding -> lockIfPending(x)
    :: else
    fi;
    if
    :: ok ->
        i = n[x].upstream;
        if
        :: n[x].upstreamIsRoot || i == 0 -> ok = 0
        :: else -> tryLock(i)
        fi;
        if
        :: ok -> splice(i, x, 0)
        :: else
        fi;
        unlock(x)
    :: else
    fi
}

/* Future.flatMap(_:) of a settled future y: x is the new one. */
inline doFlatMapSettled() {
    PUSH(shorten, x, 0);
    PUSH(receive, x, y)
}
