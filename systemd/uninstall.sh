#!/usr/bin/env bash
# Take away what install.sh has put here, and nothing else: it reads /etc/pilelight/installed.
set -euo pipefail

usage() {
    cat <<'END'
Usage: sudo systemd/uninstall.sh [OPTION]...
Remove Pilelight. Settings (/etc/pilelight) and rounds (/var/lib/pilelight) stay unless --purge is given; packages of the
system stay always.

  --dry-run        print every step, change nothing
  --unattended     do not ask before the first step
  --purge          settings, rounds and the copies of config.txt, too
END
}

fail() {
    echo "uninstall.sh: $1" >&2
    exit 2
}

dry_run='' unattended='' purge=''
for option in "$@"; do
    case $option in
        --help) usage; exit 0 ;;
        --dry-run) dry_run=yes ;;
        --unattended) unattended=yes ;;
        --purge) purge=yes ;;
        *) fail "there is no option $option; see --help" ;;
    esac
done

etc=/etc/pilelight
manifest=$etc/installed
[[ -r $manifest ]] || fail "$manifest is not there: install.sh was never run here, or this was taken away already"
[[ -n $dry_run ]] || ((EUID == 0)) || fail "run it with sudo (or look first: --dry-run)"
if [[ -z $unattended && -z $dry_run ]]; then
    read -r -p "Remove Pilelight${purge:+, all its settings and rounds}? [y/N] " answer
    [[ $answer == [yY]* ]] || fail "nothing was changed"
fi

run() {
    printf '  + %s\n' "$*"
    [[ -n $dry_run ]] || "$@"
}

runs() { [[ -d /run/systemd/system ]]; }

of_kind() { sed -n "s/^$1 //p" "$manifest"; }

while IFS= read -r service; do
    if runs; then run systemctl stop "$service"; fi
    run systemctl disable --quiet "$service"
done < <(of_kind service)
while IFS= read -r file; do
    run rm -f "$file"
done < <(of_kind file)
while IFS= read -r folder; do
    run rm -rf "$folder"
done < <(of_kind folder)
while IFS= read -r folder; do
    run rmdir --ignore-fail-on-non-empty "$folder"
done < <(of_kind made)
reboot=''
while IFS= read -r config; do
    [[ -e $config ]] || continue
    run sed -i '/^# >>> pilelight/,/^# <<< pilelight/d' "$config"
    reboot=yes
done < <(of_kind block | sort -u)
if [[ -n $purge ]]; then
    while IFS= read -r copy; do
        run rm -f "$copy"
    done < <(of_kind copy)
fi
# A user's number may be given to somebody else later: the user stays as long as files of it do.
if [[ -n $purge ]]; then
    users=$(of_kind user) groups=$(of_kind group)
    run rm -rf "$etc" /var/lib/pilelight /var/lib/pilelight-panel
    for user in $users; do run userdel "$user"; done
    for group in $groups; do run groupdel "$group"; done
else
    run sed -i -E '/^(file|folder|made|service|block) /d' "$manifest"
fi
if runs; then
    run systemctl daemon-reload
    run systemctl reset-failed 'pilelight@*' 'pilelight-panel@*'
    run udevadm control --reload
fi
if [[ -n $dry_run ]]; then
    echo "Nothing was changed."
else
    echo "Done.${reboot:+ The buses are switched off with the next boot.}"
fi
