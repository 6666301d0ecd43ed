/* Aggregate.inputSettled(_:), settle(as:), end(_:) under the rule `first`. */
inline doInputSettled() {
    claimAs(x, CLAIMED);
    if
    :: ok ->
        atomic { TOUCH(x); n[x].result = n[n[y].source].result; n[x].holdsInputs = 0 }
        i = 1;
        up = sp;
        sp = sp + 1;
        do
        :: i <= NODES && n[i].owner == x ->
            claimAs(i, LEAVING);
            if
            :: ok -> PUSH(step, i, 0)
            :: else
            fi;
            retained[i] = retained[i] + 1;
            i++
        :: i <= NODES && n[i].owner != x -> i++
        :: i > NODES -> break
        od;
        if
        :: n[x].result == SUCCESS -> publish(x, VALUE)
        :: else -> publish(x, FAILURE)
        fi;
        atomic { sop[up] = walked; sx[up] = list; sy[up] = x }
    :: else
    fi
}
