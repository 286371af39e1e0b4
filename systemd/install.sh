#!/usr/bin/env bash
# Install Pilelight as a service on Raspberry Pi OS (or Debian) bookworm or trixie: see --help, try --dry-run first.
set -euo pipefail

usage() {
    cat <<'END'
Usage: sudo systemd/install.sh [OPTION]... UNIT
Install UNIT (triple-play, master, spin, party) as the service pilelight@UNIT, or bring an installation up to date.

  --dry-run        print every step, change nothing (needs no rights)
  --unattended     do not ask before the first step
  --with EXTRA     another part of Pilelight, any number of times: pwm (a buzzer on hardware PWM; GPL-3.0),
                   spi (LEDs through the SPI driver), pi5 (LEDs on a Pi 5; GPL-2.0-only), panel (in a browser)
  --panel          also show the unit in a browser, by the service pilelight-panel@UNIT; takes the extra panel
  --wiring FILE    the unit is wired as this file says; it is copied to /etc/pilelight
  --board NAME     the board is rpi-zero-2w, rpi3, rpi4 or rpi5 (default: what /proc/device-tree/model says)
  --wheel FILE     install this wheel instead of the folder that this script lies in
  --packages DIR   take Python packages from DIR only, not from the network

Settings stand in /etc/pilelight and rounds in /var/lib/pilelight; both survive an upgrade, and uninstall.sh.
Exit status: 0 done, 2 cannot be done here; another one is that of the step that failed.
END
}

fail() {
    echo "install.sh: $1" >&2
    exit 2
}

# -- what was asked ----------------------------------------------------------------------------------------------------

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(dirname "$here")
dry_run='' unattended='' panel='' unit='' wiring='' board='' what="$source" packages='' extras=(pi)
while (($#)); do
    case $1 in
        --help) usage; exit 0 ;;
        --dry-run) dry_run=yes ;;
        --unattended) unattended=yes ;;
        --panel) panel=yes extras+=(panel) ;;
        --with | --wiring | --board | --wheel | --packages)
            (($# > 1)) || fail "$1 needs a value; see --help"
            case $1 in
                --with) extras+=("$2") ;;
                --wiring) wiring=$(realpath -e "$2") || fail "--wiring $2: there is no such file" ;;
                --board) board=$2 ;;
                --wheel) what=$(realpath -e "$2") || fail "--wheel $2: there is no such file" ;;
                --packages) packages=$(realpath -e "$2") || fail "--packages $2: there is no such folder" ;;
            esac
            shift
            ;;
        -*) fail "there is no option $1; see --help" ;;
        *) [[ -z $unit ]] || fail "one unit at a time: $unit or $1?"; unit=$1 ;;
    esac
    shift
done
[[ -n $unit ]] || fail "which unit? See --help"
for extra in "${extras[@]}"; do
    case $extra in
        pi | pwm | spi | pi5 | panel) ;;
        *) fail "--with $extra: there is no such part; there are pwm, spi, pi5 and panel" ;;
    esac
done

# -- what is here ------------------------------------------------------------------------------------------------------

python=python3
home=/opt/pilelight
etc=/etc/pilelight
manifest=$etc/installed
now=$(date +%Y%m%d-%H%M%S)

[[ -n $dry_run ]] || ((EUID == 0)) || fail "run it with sudo (or look first: --dry-run)"
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[[ $codename == bookworm || $codename == trixie ]] \
    || fail "this system is ${codename:-unknown}; bookworm and trixie are known to work"
if [[ -e $home && ! -x $home/bin/python ]] && ! grep -qsxF "folder $home" "$manifest"; then
    fail "$home is there and was not made by this script; move it away (the program goes there, and uninstall.sh deletes it)"
fi
[[ ! $source -ef $home ]] || fail "Pilelight's folder must not be $home; the program goes there: move the folder away"
command -v "$python" >/dev/null || fail "there is no python3; sudo apt install python3"
machine=$(uname -m)
version=$("$python" -c 'import sys; print(sys.version_info.major * 100 + sys.version_info.minor)')

facts() { # what the wiring files say, asked of the very code that plays
    PYTHONPATH=$source PYTHONDONTWRITEBYTECODE=1 "$python" - "$unit" "$wiring" "$board" "$@" <<'END'
import sys
from pathlib import Path

from wiring.config import config_lines
from wiring.findings import WiringError
from wiring.load import board_names, load_board, load_unit

unit, wiring, board, asked = sys.argv[1:]
try:
    wired = load_unit(wiring or unit)
    if wired.unit != unit:
        where = f"{wired.file}: unit = {wired.unit!r}: not the wiring of {unit!r}"
        sys.exit(where if wiring else f"{where}; give {wired.unit} --wiring {wired.file}")
    if asked == "strip":
        print(wired.lights.driver if wired.lights else "")
    elif asked == "buzzer":
        print(wired.buzzer.drive if wired.buzzer else "")
    elif asked == "board":
        model = Path("/proc/device-tree/model")
        named = model.read_text().rstrip("\0") if model.exists() else ""
        titles = sorted(((load_board(name).title, name) for name in board_names()), reverse=True)
        print(board or next((name for title, name in titles if named.startswith(title)), ""))
    else:
        print("\n".join(config_lines(wired, load_board(board))))
except WiringError as problems:
    sys.exit(str(problems))
END
}

drive=$(facts buzzer) || fail "the wiring is wrong"
driver=$(facts strip) || fail "the wiring is wrong"
board=$(facts board) || fail "the wiring files are wrong"
lines=''
if [[ -n $board ]]; then lines=$(facts lines) || fail "the wiring does not fit the board"; fi
config=''
for candidate in /boot/firmware/config.txt /boot/config.txt; do
    if [[ -e $candidate ]]; then config=$candidate; break; fi
done

# -- how a step is taken -----------------------------------------------------------------------------------------------

say() { printf '%s\n' "$*"; }

run() {
    say "  + $*"
    [[ -n $dry_run ]] || "$@"
}

append() { # FILE TEXT
    say "  + write into $1: ${2//$'\n'/ | }"
    [[ -n $dry_run ]] || printf '%s\n' "$2" >>"$1"
}

ours() { # note in the manifest what uninstall.sh may take away: KIND NAME
    grep -qsxF "$1 $2" "$manifest" || append "$manifest" "$1 $2"
}

put() { # a file of ours: MODE FROM TO
    local folder
    folder=$(dirname "$3")
    if [[ ! -d $folder ]]; then
        ours made "$folder"
        run install -d -m 755 "$folder"
    fi
    ours file "$3"
    run install -m "$1" "$2" "$3"
}

keep() { # a file of the maker's: written once, then only copied aside: MODE FROM TO
    if [[ -e $3 ]]; then
        local last=''
        if [[ -d $etc/backup ]]; then last=$(find "$etc/backup" -name "$(basename "$3").*" | sort | tail -n 1); fi
        if [[ -n $last ]] && cmp -s "$last" "$3"; then
            say "  = $3 stays, and $last is a copy of it"
        else
            run install -D -m "$1" "$3" "$etc/backup/$(basename "$3").$now"
        fi
    else
        run install -m "$1" "$2" "$3"
    fi
}

in_force() { # whether config.txt says LINE for every board
    awk -v wanted="$1" '/^\[/ { other = ($0 != "[all]") } !other && $0 == wanted { found = 1 } END { exit !found }' "$config"
}

# -- the steps ---------------------------------------------------------------------------------------------------------

apt_packages() {
    local wanted=(python3-venv) missing=() package
    case $machine in
        arm*|aarch64) wanted+=(gcc python3-dev) ;; # rpi_ws281x and RPi.GPIO come as source
    esac
    if [[ -n $site_packages ]]; then wanted+=(python3-lgpio python3-libgpiod); fi
    for package in "${wanted[@]}"; do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed \
            || missing+=("$package")
    done
    say "Packages of the system: ${wanted[*]}"
    ((${#missing[@]})) || { say "  = all there"; return; }
    run apt-get -q update
    run env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}"
}

user_and_rights() {
    say "The user pilelight, and the groups that may use the pins"
    run install -d -m 755 "$etc"
    for user in pilelight pilelight-panel; do
        getent passwd "$user" >/dev/null || ours user "$user"
    done
    for group in gpio i2c spi; do
        getent group "$group" >/dev/null || ours group "$group"
    done
    put 644 "$here/pilelight.sysusers" /etc/sysusers.d/pilelight.conf
    run systemd-sysusers /etc/sysusers.d/pilelight.conf
    put 644 "$here/99-pilelight.rules" /etc/udev/rules.d/99-pilelight.rules
    put 644 "$here/pilelight.modules" /etc/modules-load.d/pilelight.conf
    put 644 "$here/pilelight.tmpfiles" /etc/tmpfiles.d/pilelight.conf
    run systemd-tmpfiles --create /etc/tmpfiles.d/pilelight.conf
}

program() {
    say "Pilelight itself, in $home"
    [[ -z $site_packages ]] || say "  (with lgpio from the system: there is no wheel of it for this Python)"
    local pip=("$home/bin/python" -m pip --disable-pip-version-check install --quiet --upgrade) joined
    ours folder "$home"
    if [[ ! -x $home/bin/python ]]; then run "$python" -m venv ${site_packages:+"$site_packages"} "$home"; fi
    if [[ -n $packages ]]; then pip+=(--no-index --find-links "$packages"); fi
    joined=$(IFS=,; echo "${extras[*]}")
    run "${pip[@]}" "pilelight[$joined] @ file://$what"
    run "${pip[@]}" --force-reinstall --no-deps "pilelight @ file://$what" # the same version may have other contents
    run "$home/bin/python" -m compileall -q "$home/lib"
}

settings() {
    say "Settings in $etc (what is there stays)"
    keep 644 "$here/settings.toml" "$etc/settings.toml"
    keep 644 "$here/unit.env" "$etc/$unit.env"
    if [[ -n $wiring && $wiring != "$etc/$unit.toml" ]]; then
        if [[ -e $etc/$unit.toml ]] && ! cmp -s "$wiring" "$etc/$unit.toml"; then
            run install -D -m 644 "$etc/$unit.toml" "$etc/backup/$unit.toml.$now"
        fi
        run install -m 644 "$wiring" "$etc/$unit.toml"
        for option in PLAY_OPTIONS DARK_OPTIONS; do
            grep -qs "^$option=" "$etc/$unit.env" \
                || append "$etc/$unit.env" "$option=--wiring $etc/$unit.toml"
        done
    fi
}

buses() {
    reboot=''
    if [[ -z $config ]]; then
        say "Buses: there is no config.txt, so this is no Raspberry Pi's system; nothing is switched on"
        return
    elif [[ -z $board ]]; then
        fail "which board is this? Name it: --board rpi-zero-2w, rpi3, rpi4 or rpi5"
    fi
    say "Buses, in $config for $board"
    local line missing=() block
    while IFS= read -r line; do
        if [[ -n $line ]] && ! in_force "$line"; then missing+=("$line"); fi
    done <<<"$lines"
    ((${#missing[@]})) || { say "  = all there"; return; }
    ours copy "$config.before-pilelight-$now"
    run cp -p "$config" "$config.before-pilelight-$now"
    ours block "$config"
    block=$(printf '%s\n' '# >>> pilelight: uninstall.sh takes this away' '[all]' "${missing[@]}" '# <<< pilelight')
    append "$config" "$block"
    reboot=yes
}

service() {
    say "The service pilelight@$unit${panel:+, and its page: pilelight-panel@$unit}"
    put 644 "$here/pilelight@.service" /etc/systemd/system/pilelight@.service
    put 644 "$here/pilelight-panel@.service" /etc/systemd/system/pilelight-panel@.service
    ours service "pilelight@$unit.service"
    ours service "pilelight-panel@$unit.service" # it may be enabled by hand later
    run systemctl enable --quiet "pilelight@$unit.service" ${panel:+"pilelight-panel@$unit.service"}
    [[ -d /run/systemd/system ]] || { say "  = systemd does not run here; it will start with the next boot"; return; }
    run systemctl daemon-reload
    run udevadm control --reload
    run udevadm trigger --action=add --subsystem-match=gpio --subsystem-match=spidev --subsystem-match=i2c-dev --subsystem-match=pwm
    [[ -n $reboot ]] || run systemctl restart "pilelight@$unit.service" ${panel:+"pilelight-panel@$unit.service"}
    [[ -n $reboot || -n $panel ]] || run systemctl try-restart "pilelight-panel@$unit.service"
    local others # their program is the same, and is another one now
    mapfile -t others < <(sed -n 's/^service //p' "$manifest" 2>/dev/null | grep -vxE "pilelight(-panel)?@$unit\.service")
    [[ -n $reboot ]] || ((${#others[@]} == 0)) || run systemctl try-restart "${others[@]}"
}

site_packages=''
if ((version >= 313)) || [[ $machine == armv6l ]]; then site_packages=--system-site-packages; fi
if [[ -z $unattended && -z $dry_run ]]; then
    read -r -p "Install $unit for ${board:-an unknown board} into $home? [y/N] " answer
    [[ $answer == [yY]* ]] || fail "nothing was changed"
fi
if [[ $drive == hardware && " ${extras[*]} " != *" pwm "* ]]; then
    say "Note: this unit's buzzer is on hardware PWM, whose library is GPL-3.0 and not installed unasked: --with pwm"
fi
if [[ $board == rpi5 && $driver == neopixel && " ${extras[*]} " != *" pi5 "* ]]; then
    say "Note: on a Pi 5 this unit's lights need a library that is GPL-2.0-only and not installed unasked: --with pi5"
elif [[ $driver == neopixel-spi && " ${extras[*]} " != *" spi "* ]]; then
    say "Note: this wiring's lights are driven through SPI, whose library is not installed unasked: --with spi"
fi
apt_packages
user_and_rights
program
settings
buses
service
if [[ -n $dry_run ]]; then
    say "Nothing was changed."
elif [[ -n $reboot ]]; then
    say "Done. Reboot now: sudo reboot. Then look: systemctl status pilelight@$unit"
else
    say "Done. Look: systemctl status pilelight@$unit"
fi
