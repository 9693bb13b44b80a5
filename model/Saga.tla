-------------------------------- MODULE Saga --------------------------------
(* One execution of a saga and its participants. What it shows: when all has *)
(* come to rest, every step is done, or every effect is undone, or exactly   *)
(* what was given up is left; no effect is there twice, none is undone       *)
(* twice; and once the pivot is done nothing before it is undone.            *)
(*                                                                           *)
(* The journal has one writer, whose turns are atomic: Lane.tla shows why    *)
(* that may be assumed. So a take-over, a zombie and a lost connection are   *)
(* the same thing here: a request that is carried out late, or whose answer  *)
(* is late or lost. A callback is an answer that is late.                    *)
(*                                                                           *)
(* Steps run one after another; those of a parallel group side by side. The  *)
(* pivot has no compensation: once it may be done, nothing turns back.       *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Steps,     \* how many there are
          Parallel,  \* the neighbours among them that form a parallel group
          Pivot,     \* the pivot; 0: there is none
          Attempts,  \* at each action, over all its rounds
          Undos,     \* attempts at a compensation, in each of its rounds
          Rounds,    \* an action is tried under so many keys
          Promise,   \* "barrier", "keyed" (nothing runs after its deadline) or "late"
          Copies,    \* so many requests are carried out twice
          Losses,    \* so many requests or answers are lost
          Denials,   \* so often an operator says that a step was not done
          Mistake    \* "none", or one of those at the bottom

VARIABLES state,    \* running, completed, compensating, compensated, failed
          act,      \* step -> the attempts at its action: what is known, and under which round
          undo,     \* step -> the attempts at its compensation
          round,    \* step -> the round of its action
          again,    \* step -> the round of its compensation
          net,      \* requests on their way
          heard,    \* answers on their way
          there,    \* step -> its participant, see Init
          denied,   \* steps of which an operator has said that they were not done
          left      \* what may still go wrong
vars == <<state, act, undo, round, again, net, heard, there, denied, left>>
journal == <<state, act, undo, round, again>>

All == 1..Steps
Init ==
  /\ state = "running" /\ act = [i \in All |-> <<>>] /\ undo = [i \in All |-> <<>>]
  /\ round = [i \in All |-> 1] /\ again = [i \in All |-> 1] /\ net = {} /\ heard = {} /\ denied = {}
  /\ there = [i \in All |-> [effects |-> 0,                             \* an action adds one, an undo takes one away
                             said    |-> [r \in 1..Rounds |-> "-"],     \* by round, what it has answered and keeps
                             shut    |-> 0,                             \* a barrier refuses rounds up to here
                             undone  |-> {}]]                           \* rounds of compensations that ran
  /\ left = [copy |-> Copies, loss |-> Losses, deny |-> Denials]

-----------------------------------------------------------------------------
(* WHAT IS KNOWN. An attempt is open, ok, fail (certainly not done), unknown,*)
(* or denied: an operator knows that it was not done, and an answer may know *)
(* better. A step is not done only if every attempt was not; at a barrier a  *)
(* definite failure settles its whole round.                                 *)
Has(list, what) == \E k \in 1..Len(list) : list[k].is = what
Done(i) == Has(act[i], "ok")
Settles(i, k) == Promise = "barrier" /\ \E m \in 1..Len(act[i]) : act[i][m].is = "fail" /\ act[i][m].round = act[i][k].round
MayBe(i) ==
  IF Mistake = "lastDecides" THEN act[i] # <<>> /\ act[i][Len(act[i])].is \notin {"fail", "denied"}
  ELSE \E k \in 1..Len(act[i]) : act[i][k].is = "ok" \/ (act[i][k].is \in {"open", "unknown"} /\ ~Settles(i, k))
PivotPassed == Pivot # 0 /\ MayBe(Pivot)
Together(i, j) == i \in Parallel /\ j \in Parallel
Before(i) == {j \in 1..(i - 1) : ~Together(i, j)}

-----------------------------------------------------------------------------
(* FORWARD                                                                   *)
MayBegin(i) == IF Mistake = "groupNotAwaited" /\ Before(i) \cap Parallel # {}
               THEN \E j \in Before(i) \cap Parallel : Done(j) ELSE \A j \in Before(i) : Done(j)
Begin(i) ==
  /\ state = "running" /\ MayBegin(i) /\ ~Done(i) /\ ~Has(act[i], "open") /\ Len(act[i]) < Attempts
  /\ act' = [act EXCEPT ![i] = Append(@, [is |-> "open", round |-> round[i]])]   \* durable before it is sent
  /\ net' = net \cup {[step |-> i, way |-> "do", number |-> Len(act[i]) + 1, round |-> round[i], again |-> 0]}
  /\ UNCHANGED <<state, undo, round, again, heard, there, denied, left>>
(* A rule, or an operator with another input. Both keys might count.         *)
NewKey(i) ==
  /\ state = "running" /\ act[i] # <<>> /\ ~Done(i) /\ round[i] < Rounds /\ (~MayBe(i) \/ Mistake = "newKeyEarly")
  /\ round' = [round EXCEPT ![i] = @ + 1] /\ UNCHANGED <<state, act, undo, again, net, heard, there, denied, left>>
Complete ==
  /\ state = "running" /\ \A i \in All : Done(i)
  /\ state' = "completed" /\ UNCHANGED <<act, undo, round, again, net, heard, there, denied, left>>
(* A failure, attempts that are spent, a deadline, or somebody who cancels.  *)
TurnBack ==
  /\ state = "running" /\ (~PivotPassed \/ Mistake = "pivotForgotten") /\ state' = "compensating"
  /\ act' = IF Mistake # "siblingForgotten" THEN act
            ELSE [i \in All |-> [k \in 1..Len(act[i]) |-> IF act[i][k].is = "open" THEN [act[i][k] EXCEPT !.is = "fail"] ELSE act[i][k]]]
  /\ UNCHANGED <<undo, round, again, net, heard, there, denied, left>>

-----------------------------------------------------------------------------
(* BACK, in reverse order. A compensation waits until each attempt at its    *)
(* action has answered or passed its deadline, but at a barrier; a sibling   *)
(* does not wait for that.                                                   *)
Undone(i) == undo[i] # <<>> /\ undo[i][Len(undo[i])].is = "ok"
GivenUp(i) == undo[i] # <<>> /\ undo[i][Len(undo[i])].is = "given up"
Open(i) == MayBe(i) /\ ~Undone(i) /\ (GivenUp(i) \/ i = Pivot)    \* nobody undoes it any more
Settled(i) == ~MayBe(i) \/ Undone(i) \/ Open(i)
MustWait(i) == Promise # "barrier" /\ Has(act[i], "open") /\ Mistake # "beside"
Tries(i) == Cardinality({k \in 1..Len(undo[i]) : undo[i][k].is # "old"})
BeginUndo(i) ==
  /\ state = "compensating" /\ ~Settled(i) /\ Tries(i) < Undos /\ ~Has(undo[i], "open") /\ ~MustWait(i)
  /\ \A j \in (i + 1)..Steps : Settled(j) \/ (Together(i, j) /\ MustWait(j))
  /\ undo' = [undo EXCEPT ![i] = Append(@, [is |-> "open"])]
  /\ net' = net \cup {[step |-> i, way |-> "undo", number |-> Len(undo[i]) + 1, again |-> again[i],
                       round |-> IF Mistake = "undoesOneRound" THEN 1 ELSE round[i]]}
  /\ UNCHANGED <<state, act, round, again, heard, there, denied, left>>
GiveUp(i) ==
  /\ state = "compensating" /\ ~Settled(i) /\ Tries(i) = Undos /\ undo[i][Len(undo[i])].is = "unknown"
  /\ undo' = [undo EXCEPT ![i][Len(undo[i])].is = "given up"]
  /\ UNCHANGED <<state, act, round, again, net, heard, there, denied, left>>
Finish ==
  /\ state = "compensating" /\ \A i \in All : Settled(i) /\ ~MustWait(i)
  /\ state' = IF \E i \in All : Open(i) THEN "failed" ELSE "compensated"
  /\ UNCHANGED <<act, undo, round, again, net, heard, there, denied, left>>

-----------------------------------------------------------------------------
(* THE PARTICIPANT recognises its key. A barrier keeps failures too, and     *)
(* refuses an action that comes after its compensation. A compensation makes *)
(* sure that the action has no effect.                                       *)
Reply(q, answer, after) ==
  /\ there' = [there EXCEPT ![q.step] = after]
  /\ \/ net' = net \ {q} /\ UNCHANGED left
     \/ net' = net /\ left.copy > 0 /\ left' = [left EXCEPT !.copy = @ - 1]
  /\ heard' = heard \cup {[step |-> q.step, way |-> q.way, number |-> q.number, answer |-> answer]}
  /\ UNCHANGED <<state, act, undo, round, again, denied>>
Act(q) ==
  LET x == there[q.step]
      did == [x EXCEPT !.effects = @ + 1, !.said[q.round] = "ok"]
      refused == IF Promise = "barrier" /\ Mistake # "failNotKept" THEN [x EXCEPT !.said[q.round] = "fail"] ELSE x IN
  /\ q.way = "do"
  /\ CASE Promise = "barrier" /\ q.round <= x.shut -> Reply(q, "fail", x)
       [] x.said[q.round] # "-" -> Reply(q, x.said[q.round], x)
       [] OTHER -> Reply(q, "ok", did) \/ Reply(q, "fail", refused) \/ Reply(q, "error", did) \/ Reply(q, "error", x)
Undo(q) ==
  LET x == there[q.step]
      done == {r \in 1..Rounds : x.said[r] = "ok"}
      undoes == CASE Mistake = "inverse" -> done # {} /\ q.again \notin x.undone
                  [] Promise = "barrier" -> \E r \in done : r <= q.round /\ r > x.shut
                  [] OTHER -> x.effects > 0
      after == [x EXCEPT !.effects = IF undoes THEN @ - 1 ELSE @, !.undone = @ \cup {q.again},
                         !.shut = IF Promise = "barrier" THEN q.round ELSE 0] IN
  q.way = "undo" /\ (Reply(q, "ok", after) \/ Reply(q, "error", x))
Lose ==
  /\ left.loss > 0 /\ left' = [left EXCEPT !.loss = @ - 1] /\ UNCHANGED <<journal, there, denied>>
  /\ \/ \E q \in net : net' = net \ {q} /\ UNCHANGED heard
     \/ \E e \in heard : heard' = heard \ {e} /\ UNCHANGED net

-----------------------------------------------------------------------------
(* ANSWERS. A late one, after its attempt had become unknown, counts unless  *)
(* it is a definite failure; where a request may run late, the step is       *)
(* compensated once more, also after the end.                                *)
Meaning(answer) == IF answer # "error" THEN answer ELSE IF Mistake = "errorIsNo" THEN "fail" ELSE "unknown"
IsIgnored(is, means) == \/ is \in {"ok", "fail"}
                        \/ is # "open" /\ (means = "fail" \/ Mistake = "lateIgnored" \/ (Mistake = "lateOkOnly" /\ means # "ok"))
                        \/ is = "denied" /\ ((Promise = "keyed" /\ means # "ok") \/ Mistake = "deniedForGood")
HasEnded == state \in {"compensated", "failed"}
HearAct(e) ==
  LET i == e.step   is == act[i][e.number].is   means == Meaning(e.answer)
      isOnceMore == is # "open" /\ (state = "compensating" \/ HasEnded) /\ Promise = "late" IN
  IF IsIgnored(is, means) THEN UNCHANGED journal
  ELSE /\ act' = [act EXCEPT ![i][e.number].is = means] /\ UNCHANGED round
       /\ IF isOnceMore
          THEN undo' = [undo EXCEPT ![i] = [k \in 1..Len(@) |-> [is |-> "old"]]] /\ again' = [again EXCEPT ![i] = @ + 1]
          ELSE UNCHANGED <<undo, again>>
       /\ state' = IF HasEnded /\ (isOnceMore \/ ~Undone(i)) /\ Mistake # "endIsFinal" THEN "compensating" ELSE state
HearUndo(e) ==
  LET i == e.step IN
  /\ UNCHANGED <<state, act, round, again>>
  /\ IF undo[i][e.number].is \in {"open", "unknown"}
     THEN undo' = [undo EXCEPT ![i][e.number].is = Meaning(e.answer)] ELSE UNCHANGED undo
Hear(e) ==
  /\ heard' = heard \ {e} /\ UNCHANGED <<net, there, denied, left>>
  /\ IF e.way = "do" THEN HearAct(e) ELSE HearUndo(e)
(* Its deadline: it may have been done. Where nothing runs late, its request *)
(* is not carried out any more.                                              *)
Expire(i, k, way) ==
  /\ IF way = "do" THEN act[i][k].is = "open" /\ act' = [act EXCEPT ![i][k].is = "unknown"] /\ UNCHANGED undo
     ELSE undo[i][k].is = "open" /\ undo' = [undo EXCEPT ![i][k].is = "unknown"] /\ UNCHANGED act
  /\ net' = IF Promise = "keyed" THEN {q \in net : ~(q.step = i /\ q.way = way /\ q.number = k)} ELSE net
  /\ UNCHANGED <<state, round, again, heard, there, denied, left>>
(* An operator has looked, and nothing is under way.                         *)
Deny(i) ==
  /\ left.deny > 0 /\ left' = [left EXCEPT !.deny = @ - 1]
  /\ state = "running" /\ MayBe(i) /\ ~Done(i) /\ ~Has(act[i], "open") /\ there[i].effects = 0
  /\ act' = [act EXCEPT ![i] = [k \in 1..Len(@) |-> IF @[k].is = "unknown" THEN [@[k] EXCEPT !.is = "denied"] ELSE @[k]]]
  /\ denied' = denied \cup {i} /\ UNCHANGED <<state, undo, round, again, net, heard, there>>

-----------------------------------------------------------------------------
Next ==
  \/ Complete \/ TurnBack \/ Finish \/ Lose
  \/ \E i \in All : \/ Begin(i) \/ NewKey(i) \/ BeginUndo(i) \/ GiveUp(i) \/ Deny(i)
                    \/ \E k \in 1..Len(act[i]) : Expire(i, k, "do")
                    \/ \E k \in 1..Len(undo[i]) : Expire(i, k, "undo")
  \/ \E q \in net : Act(q) \/ Undo(q)
  \/ \E e \in heard : Hear(e)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* WHAT MUST HOLD                                                            *)
AtRest == net = {} /\ heard = {}
NothingLeft == AtRest => /\ state = "compensated" => \A i \in All : there[i].effects = 0
                         /\ state = "failed" => \A i \in All : there[i].effects = 0 \/ Open(i)
                         /\ state = "completed" => \A i \in All : there[i].effects = 1
Once == \A i \in All : there[i].effects <= 1
UndoneOnce == \A i \in All : there[i].effects >= 0
InOrder == \A i \in All : act[i] # <<>> => \A j \in Before(i) : Done(j)
(* Unless an operator was mistaken about it.                                 *)
OneWay == Pivot # 0 /\ Pivot \notin denied => (there[Pivot].effects > 0 => \A i \in 1..(Pivot - 1) : there[i].undone = {})
-----------------------------------------------------------------------------
(* MISTAKES                                                                  *)
(* inverse          a compensation takes back, whatever there is, and does   *)
(*                  not ask whether it is undone already                     *)
(* lastDecides      the last attempt decides whether the step was done       *)
(* errorIsNo        an error counts as not done                              *)
(* beside           a step is compensated while a request of it may run      *)
(* lateIgnored      a late answer is ignored                                 *)
(* lateOkOnly       a late answer counts only if it is ok                    *)
(* endIsFinal       a late answer after the end is not compensated           *)
(* deniedForGood    an operator's word outweighs a late answer               *)
(* newKeyEarly      a new key while an attempt may be done                   *)
(* undoesOneRound   a compensation names the first round of its action only  *)
(* failNotKept      a barrier does not keep failures                         *)
(* pivotForgotten   it turns back although its pivot may be done             *)
(* siblingForgotten what is under way beside the step that failed counts as  *)
(*                  not done                                                 *)
(* groupNotAwaited  the next step begins when one of a group is done         *)
=============================================================================
