# 1. Every file is as it was when the bundle was made.
sha256sum --check --quiet --strict SHA256SUMS && echo "files: OK"

# 2. The property signed the checkpoint (use its key from elsewhere in place of evidence/key.pem).
work=$(mktemp -d)
sed '/^$/,$d' evidence/checkpoint.txt > "$work/body"
tail -n 1 evidence/checkpoint.txt | cut -d ' ' -f 3 | base64 -d | tail -c 64 > "$work/signature"
openssl pkeyutl -verify -pubin -inkey evidence/key.pem -rawin -in "$work/body" -sigfile "$work/signature"

# 3. Every log entry leads to the root in the checkpoint, every raw line to the root of its file in a log entry.
signed=$(sed -n 3p "$work/body" | base64 -d | od -An -v -tx1 | tr -d ' \n')
sha() { sha256sum | cut -c 1-64; }
join() { printf "$(printf '%s' "01$1$2" | sed 's/../\\x&/g')" | sha; }
while read -r file at line lines root path; do
  case $file in '#'*) continue ;; esac
  node=$( (printf '\0'; sed -n "${at}p" "$file" | head -c -1) | sha)
  for step in $path; do
    case $step in L*) node=$(join "${step#L}" "$node") ;; R*) node=$(join "$node" "${step#R}") ;; esac
  done
  [ "$node" = "$root" ] || echo "WRONG: $file line $at"
  case $file in
    evidence/*) [ "$root" = "$signed" ] || echo "WRONG: $file line $at is not under the signed root" ;;
    *) grep -q "\"line_root\":\"$root\"" evidence/entries.ndjson || echo "WRONG: no log entry has the root of $file" ;;
  esac
done < evidence/proofs.txt && echo "proofs: OK unless something above is WRONG"

# 4. The floor.toml in force is the one in custody.
grep -q "\"sha256\":\"$(sha < floor.toml)\"" evidence/entries.ndjson && echo "floor.toml: OK"
