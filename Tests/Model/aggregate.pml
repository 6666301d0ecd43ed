/* Departure.giveUp(_:) of the inputs that the aggregate `a`, or who starts it, has made: `number`. */
inline giveUpInputs(a) {
    number = 0;
    i = 1;
    do
    :: i <= NODES && n[i].owner == a ->
        claimAs(i, LEAVING);
        if
        :: ok -> PUSH(step, i, 0); number = number + 1
        :: else
        fi;
        retained[i] = retained[i] + 1;
        i++
    :: i <= NODES && n[i].owner != a -> i++
    :: i > NODES -> break
    od
}

/* Aggregate.countDown(_:): `ok` if the caller is to release it. */
inline countDown(a, by) {
    atomic {
        TOUCH(a);
        assert(n[a].remaining >= by);
        n[a].remaining = n[a].remaining - by;
        ok = (n[a].remaining == 0)
    }
}

/* Aggregate.letGo(_:), or the end of inputSettled(_:) and what InputWaiter.receive(_:) does then. */
inline doLetGo() {
    countDown(x, y);
    if
    :: ok -> PUSH(release, x, 0)
    :: else
    fi
}

/* Aggregate.enroll(on:_:): makes the input x and enrolls it on y, unless the aggregate has settled. */
inline doAddInput() {
    atomic { TOUCH(n[x].to); ok = isPending(n[n[x].to].flags) }
    if
    :: ok ->
        atomic {
            n[x].owner = n[x].to;
            n[x].life = ALIVE;
            n[x].rc = 1;
            PUSH(observe, x, y)
        }
    :: else -> PUSH(letGo, n[x].to, 1); PUSH(giveUpInterest, y, 0)
    fi
}

/* Aggregate.handOver(_:) of the inputs, which this thread owns, to x. */
inline doHandOver() {
    lockIfPending(x);
    if
    :: ok ->
        atomic { n[x].holdsInputs = 1 }
        unlock(x);
        PUSH(letGo, x, 1)
    :: else ->
#ifdef FAULT_HAND_OVER_LOSES
        /* As if there were no `else`: the inputs are dropped, but not given up. */
        i = 1;
        do
        :: i <= NODES && n[i].owner == x -> PUSH(release, i, 0); i++
        :: i <= NODES && n[i].owner != x -> i++
        :: i > NODES -> break
        od
#else
        /* `letGo` is put here once the number is known; it comes after all that is above it. */
        up = sp;
        sp = sp + 1;
        PUSH(walked, 0, 0);
        giveUpInputs(x);
        atomic { sop[up] = letGo; sx[up] = x; sy[up] = number + 1 }
#endif
    fi
}

/* Aggregate.inputSettled(_:), settle(as:) under the rule `first`. The aggregate is not held here but by
   itself, for the input that has not let go yet. */
inline doInputSettled() {
    claimAs(x, CLAIMED);
    if
    :: ok ->
        atomic {
            TOUCH(x);
            n[x].result = n[n[y].source].result;
            if
            :: n[x].result == SUCCESS -> readStorage(n[y].source)
            :: else
            fi
        }
        /* `letGo` and `walked` are put here once the number and the list are known; they come after
           the steps above them. */
        up = sp;
        sp = sp + 2;
#ifdef FAULT_COUNT_TOO_EARLY
        countDown(x, 1);
        if
        :: ok -> PUSH(release, x, 0)
        :: else
        fi;
#endif
        if
        :: n[x].holdsInputs -> n[x].holdsInputs = 0; giveUpInputs(x)
        :: else
        fi;
        if
        :: n[x].result == SUCCESS -> publish(x, VALUE)
        :: else -> publish(x, FAILURE)
        fi;
        atomic {
            sop[up + 1] = walked; sx[up + 1] = list; sy[up + 1] = x;
#ifdef FAULT_COUNT_TOO_EARLY
            if
            :: number > 0 -> sop[up] = letGo; sx[up] = x; sy[up] = number
            :: else
            fi
#else
            sop[up] = letGo; sx[up] = x; sy[up] = number + 1
#endif
        }
    :: else -> PUSH(letGo, x, 1)
    fi
}
