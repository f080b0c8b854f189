#!/bin/sh
# Speaks a worker's protocol without evaluating anything.
# usage: FakeWorker.sh BEHAVIOUR LOG [worker flags]
# Each start and each request is noted in LOG.
behaviour=$1 log=$2
shift 2
echo "start $*" >> "$log"

answer() { printf '{"id":%s,%s}\n' "$id" "$1"; }
device='"ok":true,"protocol":1,"device":{"platform":"fake","name":"none"}'
baseline='"ok":true,"baseline":{"time_ns":1000,"shapes":["base"]}'
evaluation='"ok":true,"evaluation":{"candidate":"x","status":"faster","ratio":2}'
probe='"ok":true,"probe":{"outcome":"finished","blocks":1,"blocks_begun":1,"buffers":[{"name":"x","count":0,"element_bytes":4,"reads":{"elements":2,"bytes":8,"first":3,"last":4}}]}'
# True at the first call over all starts that share LOG.
first() { [ "$(grep -c "^$1" "$log")" -le 1 ]; }

case $behaviour:$* in
dies-at-start:*) echo "no such luck" >&2; exit 7 ;;
cpu-only:*--platform=cuda*)
  read -r line
  printf '{"id":null,"ok":false,"error":"no driver","kind":"toolchain","fatal":true}\n'
  exit 1 ;;
esac

while read -r line; do
  id=${line##*\"id\":}
  id=${id%%[,\}]*}
  case $line in
  *'"op":"hello"'*)
    echo "hello" >> "$log"
    case $behaviour in
    other-protocol) answer '"ok":true,"protocol":9,"device":{}' ;;
    silent) exec sleep 1000 ;;
    *) answer "$device" ;;
    esac ;;
  *'"op":"prepare"'*)
    echo "prepare" >> "$log"
    case $behaviour in
    dies-at-prepare) exit 9 ;;
    refuses) answer '"ok":false,"error":"the baseline: c[3] is NaN","kind":"baseline","status":"not-finite"' ;;
    dies-on-odd)
      case $line in
      *'"odd"'*)
        answer '"ok":false,"error":"SIGSEGV","kind":"baseline","shape":"odd","fatal":true'
        exit 3 ;;
      *) answer "$baseline" ;;
      esac ;;
    *) answer "$baseline" ;;
    esac ;;
  *'"op":"probe"'*)
    echo "probe $line" >> "$log"
    case $behaviour in
    no-probe) answer '"ok":false,"error":"op: probe is for the CPU platform","kind":"request"' ;;
    dies-once) if first probe; then kill -SEGV $$; fi; answer "$probe" ;;
    *) answer "$probe" ;;
    esac ;;
  *'"op":"evaluate"'*)
    echo "evaluate $line" >> "$log"
    case $behaviour in
    dies-once) if first evaluate; then kill -SEGV $$; fi; answer "$evaluation" ;;
    hangs-once) if first evaluate; then sleep 1000; fi; answer "$evaluation" ;;
    fatal-once)
      if first evaluate; then
        answer '"ok":true,"fatal":true,"evaluation":{"candidate":"x","status":"crashed","message":"illegal address"}'
        exit 3
      fi
      answer "$evaluation" ;;
    garbage) echo "Segmentation fault" ;;
    other-id) printf '{"id":4711,%s}\n' "$evaluation" ;;
    no-evaluation) answer '"ok":true' ;;
    rejects) answer '"ok":false,"error":"plans[0]: no kernel k2","kind":"request"' ;;
    chatty)
      i=0
      while [ $i -lt 3000 ]; do
        echo "a line of no interest, long enough to fill a pipe sooner or later" >&2
        i=$((i + 1))
      done
      answer "$evaluation" ;;
    *) answer "$evaluation" ;;
    esac ;;
  esac
done
