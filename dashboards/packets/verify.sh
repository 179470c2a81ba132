#!/bin/sh
# Checks a dispute bundle, in the folder into which it was unpacked:  sh verify.sh KEY.pem
# KEY.pem is the property's public key, obtained from elsewhere; without it, the key in the bundle is used.
# Needs sh, coreutils, find, grep, sed and OpenSSL 3. Ends with 0 and a last line that begins with OK, or with 1 and a
# last line that begins with WRONG. No field of the bundle is used before its form is checked.
set -u
unset IFS
export LC_ALL=C
said=
fail() { said=yes; printf 'WRONG: %s\n' "$1"; exit 1; }
work=$(mktemp -d) || fail "no folder for temporary files"
ended() {
  rm -rf "$work"
  [ "$said" ] || echo "WRONG: the check did not come to its end"
  [ "$said" = ok ] || exit 1
}
trap ended EXIT
trap 'exit 1' HUP INT TERM
case ":$PATH:" in *::* | *:.:*) fail "PATH names the current folder: files of the bundle could replace commands" ;; esac

hash='[0-9a-f]{64}' number='(0|[1-9][0-9]{0,14})' name='[A-Za-z0-9._%-]+(/[A-Za-z0-9._%-]+)*' text='"[ -~]*"'
count='[1-9][0-9]{0,14}'
proof="$name $count $count $count $hash( [LR]$hash)*"
is() { grep -Exq -e "$1" "$2"; }                                     # a line of file $2 has the form $1
all_are() { ! grep -Exvq -e "$1" "$2"; }                             # no line of it has another
ends() { [ "$(tail -c 1 "$1" | od -An -tx1 | tr -d ' ')" = 0a ]; }   # with a newline
is_plain() { [ "$(tr -d '\n -~' < "$1" | wc -c)" -eq 0 ]; }          # printable ASCII
hex() { od -An -v -tx1 | tr -d ' \n'; }
sum() { sum=$(sha256sum) && sum=${sum%% *}; }

# 1. The property signed the manifest. A note is a body, an empty line, and signature lines; sets $work/$2 to the body.
note() {
  sed '/^$/,$d' "$1" > "$work/$2" && sed '1,/^$/d' "$1" > "$work/signatures" || fail "$1 cannot be read"
  { cat "$work/$2"; echo; cat "$work/signatures"; } | cmp -s - "$1" || fail "$1 is no signed note"
  ends "$1" && is_plain "$work/$2" || fail "$1 is no signed note"
  all_are '— [!-~]+ [A-Za-z0-9+/]+=*' "$work/signatures" || fail "$1 has a line that is no signature"
}
signed() { # the note $1 with the body $2 by the key, once; $3 says whether an earlier key may have signed as well
  signatures=0
  while read -r _ signer code; do
    [ "$signer" = "$log" ] || continue
    printf '%s' "$code" | openssl base64 -d -A > "$work/blob" || fail "$1 has a signature that cannot be read"
    [ "$(openssl base64 -A < "$work/blob")" = "$code" ] && [ "$(wc -c < "$work/blob")" -eq 68 ] ||
      fail "$1 has a signature that cannot be read"
    if [ "$(head -c 4 "$work/blob" | hex)" != "$key_hash" ]; then
      [ "$3" = handover ] && continue
      fail "$1 is signed by another key"
    fi
    tail -c 64 "$work/blob" > "$work/signature"
    openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$work/$2" -sigfile "$work/signature" \
      > "$work/told" 2>&1 || fail "the key did not sign $1"
    signatures=$((signatures + 1))
  done < "$work/signatures"
  [ "$signatures" -eq 1 ] || fail "the key did not sign $1"
}
[ -z "$(find . ! -type f ! -type d)" ] || fail "the bundle has links or devices in it"
key=${1:-evidence/key.pem}
case $key in -*) key=./$key ;; esac
[ -f "$key" ] && [ -f manifest.txt ] || fail "there is no manifest.txt here, or no key"
sed -n 2p "$key" > "$work/key"
is 'MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=' "$work/key" || fail "the key is no Ed25519 public key in PEM"
{ echo "-----BEGIN PUBLIC KEY-----"; cat "$work/key"; echo "-----END PUBLIC KEY-----"; } > "$work/key.pem"
cmp -s "$key" "$work/key.pem" || fail "the key is no Ed25519 public key in PEM"
tail -c +17 "$work/key" | tr -d '\n' | openssl base64 -d -A > "$work/public"

note manifest.txt manifest
line() { sed -n "$1p" "$work/manifest" > "$work/line"; is "$2" "$work/line" || fail "line $1 of manifest.txt"; }
line 1 'audit21 packet manifest 1'
line 2 'log audit21/[0-9a-f]{16}(-[0-9a-f]{16})?'
line 3 "round $text"
line 4 'day [0-9]{4}-[0-9]{2}-[0-9]{2}'
line 5 "snapshot $number"
line 6 'published [0-9TZ:.-]+'
line 7 'as-of [0-9TZ:.-]+'
line 8 "checkpoint $number $hash"
line 9 'redacted (yes|no)'
sed 1,9d "$work/manifest" > "$work/statements"
all_are "file $name $number $hash|lines $name $number $number $hash $hash $text|film $hash $number $text|\
not-kept $hash [a-z-]+ $text|unproved $name $number $number [a-z-]+|withheld-line $hash $number [a-z-]+ $text|\
withheld-patron [a-z0-9-]+ $hash [a-z-]+|reason [a-z-]+ [ -~]+" "$work/statements" || fail "a line of manifest.txt"
log=$(sed -n '2s/^log //p' "$work/manifest") round=$(sed -n '3s/^round //p' "$work/manifest")
day=$(sed -n '4s/^day //p' "$work/manifest") snapshot=$(sed -n '5s/^snapshot //p' "$work/manifest")
size=$(sed -n '8s/^checkpoint \([0-9]*\) .*/\1/p' "$work/manifest") root=$(sed -n '8s/.* //p' "$work/manifest")
{ printf '%s\n\001' "$log"; cat "$work/public"; } > "$work/named"
sum < "$work/named"
key_hash=${sum%"${sum#????????}"}
signed manifest.txt manifest alone
echo "manifest: signed"

# 2. The bundle has the files that the manifest lists, as they were, and no other.
statements() { sed -n "s/^$1 //p" "$work/statements"; }
statements file | cut -d ' ' -f 1 > "$work/names"
grep -Eq '(^|/)\.{1,2}(/|$)' "$work/names" && fail "a name in manifest.txt leads out of the bundle"
for file in checkpoint.txt consistency.txt entry.ndjson proof.txt; do echo "issued/$file"; done >> "$work/names"
echo manifest.txt >> "$work/names"
sed 's|^|./|' "$work/names" | sort > "$work/expected"
find . -type f | sort > "$work/found"
cmp -s "$work/found" "$work/expected" || {
  comm -3 "$work/found" "$work/expected" | sed -n 1,5l
  fail "the files above are missing, or the manifest does not list them"
}
statements file | sed 's|^\([^ ]*\) [0-9]* \([0-9a-f]*\)$|\2  ./\1|' > "$work/sums"
sha256sum --check --quiet --strict "$work/sums" || fail "a file is not as the manifest lists it"
echo "files: as the manifest lists them"

# 3. The checkpoint that the packet rests on is the one that the manifest names. Sets $entries and $top to what it says.
checkpoint() {
  note "$1" body
  signed "$1" body "$2"
  sed -n 1p "$work/body" > "$work/line" && is "$log" "$work/line" || fail "$1 is of another log"
  sed -n 2p "$work/body" > "$work/line" && is "$number" "$work/line" || fail "line 2 of $1"
  entries=$(cat "$work/line")
  sed -n 3p "$work/body" > "$work/line" && is '[A-Za-z0-9+/]{43}=' "$work/line" || fail "line 3 of $1"
  top=$(openssl base64 -d -A < "$work/line" | hex)
}
checkpoint evidence/checkpoint.txt handover
[ "$entries $top" = "$size $root" ] || fail "evidence/checkpoint.txt is not the one that the manifest names"
echo "checkpoint: signed, $size entries"

# 4. The packet was issued: the log has its manifest, and continues the log that the packet rests on (RFC 9162).
join() { # the hash of a node with the children $1 and $2
  rest=01$1$2 bytes=
  while [ "$rest" ]; do
    others=${rest#??}
    bytes="$bytes 0x${rest%"$others"}"
    rest=$others
  done
  node=$(printf "$(printf '\\%03o' $bytes)" | sha256sum) && node=${node%% *}
}
climb() { # from the leaf $node, number $1 of $2, with the rest as the path upwards
  here=$(($1 - 1)) last=$(($2 - 1))
  shift 2
  for step; do
    [ "$last" -gt 0 ] || { node=none; return; }
    if [ $((here % 2)) -eq 1 ] || [ "$here" -eq "$last" ]; then
      case $step in L*) join "${step#L}" "$node" ;; *) node=none; return ;; esac
      while [ $((here % 2)) -eq 0 ] && [ "$here" -gt 0 ]; do here=$((here / 2)) last=$((last / 2)); done
    else
      case $step in R*) join "$node" "${step#R}" ;; *) node=none; return ;; esac
    fi
    here=$((here / 2)) last=$((last / 2))
  done
  [ "$last" -eq 0 ] || node=none
}
proofs() { # the proofs in file $1: of which form they are
  head -n 1 "$1" > "$work/line" && is '# file line-in-file line-of-source lines-of-source root path' "$work/line" &&
    sed 1d "$1" > "$work/proofs" && ends "$1" && all_are "$proof" "$work/proofs" || fail "a line of $1 is no proof"
}
leaf() { # line $2 of file $1
  { printf '\000'; sed -n "$2p" "./$1" | head -c -1; } > "$work/leaf"
  sum < "$work/leaf"
  node=$sum
}
checkpoint issued/checkpoint.txt alone
later=$entries later_root=$top
ends issued/entry.ndjson && is_plain issued/entry.ndjson && [ "$(wc -l < issued/entry.ndjson)" -eq 1 ] ||
  fail "issued/entry.ndjson is no log entry"
sum < manifest.txt
told="\"gaming_day\":\"$day\",\"kind\":\"packet\",\"manifest\":\"$sum\",\"round_id\":$round"
# The head of the activity log may stand before it, and by how much a clock was set back within it.
sed -E 's/^\{"activity":\{"hash":"[0-9a-f]*","number":[0-9]+\},/{/; s/,"set_back_ms":[0-9]+(,"snapshot":[0-9]+\})$/\1/' \
  issued/entry.ndjson > "$work/issued"
case $(cat "$work/issued") in
  '{"at":"'*"\",$told,\"snapshot\":$snapshot}") ;;
  *) fail "issued/entry.ndjson is not the log entry of this manifest" ;;
esac
proofs issued/proof.txt
[ "$(wc -l < "$work/proofs")" -eq 1 ] || fail "issued/proof.txt has not one proof"
read -r file at number_of lines claimed path < "$work/proofs"
[ "$file $at $lines $claimed" = "issued/entry.ndjson 1 $later $later_root" ] ||
  fail "issued/proof.txt proves another line"
leaf issued/entry.ndjson 1
climb "$number_of" "$lines" $path
[ "$node" = "$later_root" ] || fail "issued/entry.ndjson does not lead to the root of its checkpoint"
ends issued/consistency.txt && is "$number $number( $hash)*" issued/consistency.txt &&
  [ "$(wc -l < issued/consistency.txt)" -eq 1 ] || fail "issued/consistency.txt is no proof"
read -r old new path < issued/consistency.txt
[ "$old $new" = "$size $later" ] && [ "$old" -gt 0 ] && [ "$old" -lt "$new" ] ||
  fail "issued/consistency.txt has other sizes"
set -- $path
here=$((old - 1)) last=$((new - 1))
while [ $((here % 2)) -eq 1 ]; do here=$((here / 2)) last=$((last / 2)); done
before=$root after=$root
if [ "$here" -gt 0 ]; then
  [ $# -gt 0 ] || fail "issued/consistency.txt is no proof"
  before=$1 after=$1
  shift
fi
for step; do
  [ "$last" -gt 0 ] || fail "issued/consistency.txt is no proof"
  if [ $((here % 2)) -eq 1 ] || [ "$here" -eq "$last" ]; then
    join "$step" "$before" && before=$node
    join "$step" "$after" && after=$node
    while [ $((here % 2)) -eq 0 ] && [ "$here" -gt 0 ]; do here=$((here / 2)) last=$((last / 2)); done
  else
    join "$after" "$step" && after=$node
  fi
  here=$((here / 2)) last=$((last / 2))
done
[ "$last" -eq 0 ] && [ "$before" = "$root" ] && [ "$after" = "$later_root" ] ||
  fail "the log of issued/checkpoint.txt does not continue the log that the packet rests on"
echo "issued: entered into the log, signed, $later entries"

# 5. Every log entry leads to the root in the checkpoint, every raw line to the root of its landing file.
proofs evidence/proofs.txt
ends evidence/entries.ndjson || fail "evidence/entries.ndjson has no last newline"
{
  echo "evidence/entries.ndjson $(wc -l < evidence/entries.ndjson) $size $root"
  statements lines | cut -d ' ' -f 1-4
} > "$work/sources"
cut -d ' ' -f 1 "$work/sources" | sort | uniq -d | grep -q . && fail "two statements of manifest.txt about one file"
sed -n 's|^\./\(lines/\)|\1|p' "$work/expected" > "$work/names"
statements lines | cut -d ' ' -f 1 | sort | cmp -s - "$work/names" || fail "a file of lines is from no landing file"
while read -r file count _; do
  [ "$count" -eq "$(wc -l < "./$file")" ] || fail "$file has not as many lines as the manifest says"
  [ ! -s "./$file" ] || ends "./$file" || fail "$file has no last newline"
  seq "$count" | sed "s|^|$file |" >> "$work/wanted"
done < "$work/sources"
sort "$work/wanted" > "$work/expected"
{ cut -d ' ' -f 1,2 "$work/proofs"; statements unproved | cut -d ' ' -f 1,2; } | sort | cmp -s - "$work/expected" ||
  fail "a line or entry has no proof and the manifest gives no reason, or it has two, or a proof has no line"
while read -r file _ total top; do
  while read -r proved at number_of lines claimed path; do
    [ "$proved" = "$file" ] || continue
    [ "$lines" = "$total" ] && [ "$claimed" = "$top" ] || fail "the proof of $file line $at leads to another root"
    leaf "$file" "$at"
    climb "$number_of" "$lines" $path
    [ "$node" = "$top" ] || fail "$file line $at does not lead to its root"
  done < "$work/proofs"
done < "$work/sources"
echo "proofs: $(($(wc -l < "$work/proofs"))) lead to their roots, $(($(statements unproved | wc -l))) withheld"

# 6. The log entries name the landing files, the floor.toml and the publication.
grep -F '"kind":"custody"' evidence/entries.ndjson > "$work/custody" || fail "no entry of custody"
statements lines > "$work/sources"
while read -r file _ lines top source path; do
  grep -Fq -e "\"line_root\":\"$top\",\"lines\":$lines,\"path\":$path,\"sha256\":\"$source\"" "$work/custody" ||
    fail "no log entry has the landing file of $file"
done < "$work/sources"
{ statements film; statements not-kept; } > "$work/sources"
while read -r source _ path; do
  grep -Fq -e "\"path\":$path,\"sha256\":\"$source\"" "$work/custody" ||
    fail "no log entry has the file with the hash $source"
done < "$work/sources"
sum < floor.toml
grep -Fq -e "\"path\":\"floor.toml\",\"sha256\":\"$sum\"},\"gaming_day\":\"" "$work/custody" ||
  fail "floor.toml is not in custody"
grep -F '"kind":"published"' evidence/entries.ndjson | grep -F "\"gaming_day\":\"$day\"," |
  grep -Fq "\"snapshot\":$snapshot,\"versions\":{" ||
  fail "no log entry publishes snapshot $snapshot of $day"
echo "log entries: landing files, floor.toml and publication are on record"

said=ok
if [ "$key" = evidence/key.pem ]; then
  echo "OK: as issued by the key that came with the bundle; compare evidence/key.pem with the property's own"
else
  echo "OK: as issued by the holder of the key"
fi
