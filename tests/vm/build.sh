#!/usr/bin/env bash
# Make the machine for the tests: the Debian of base.sh with Pilelight in it, installed by systemd/install.sh from a wheel.
#
#   sudo tests/vm/build.sh        prints the folder with vmlinuz, initrd.cpio, root.img and small.img
#
# Everything comes from Debian's archive and the Python package index. The base and the Python packages are kept in
# /var/cache/pilelight-vm (or $PILELIGHT_VM_CACHE); Pilelight's part of the image is made anew each time, in a folder of
# its own for each working tree. Who uses it holds a shared lock on its file `lock`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
python=${PYTHON:-$source/.venv/bin/python}
cache=${PILELIGHT_VM_CACHE:-/var/cache/pilelight-vm}

say() { echo "build.sh [${SECONDS} s]: $*" >&2; }
fail() { say "$*"; exit 1; }
quietly() { # run a step whose words matter only when it fails
    local log
    log=$(mktemp)
    "$@" >"$log" 2>&1 || { cat "$log" >&2; rm "$log"; fail "failed: $*"; }
    rm "$log"
}

((EUID == 0)) || fail "needs root (a Debian root is made and entered): sudo tests/vm/build.sh"
rig=$cache/tree-$(printf %s "$source" | sha256sum | cut -c1-12)
mkdir -p "$rig"
exec 8>"$rig/lock" 9>"$cache/lock"
flock -n 8 || { say "waiting for the tests that play on the image of this tree"; flock 8; }
flock 9 # what is kept is made once
base=$("$here/base.sh" "$cache")

wheels() { # ours, and what the guest's Python 3.11 needs; on x86-64 the markers of `pi` leave lgpio and gpiod out
    local key tags=()
    for tag in 36 34 28 17; do tags+=(--platform "manylinux_2_${tag}_x86_64"); done
    rm -rf "$cache/wheel"
    quietly "$python" -m pip wheel -q --no-deps -w "$cache/wheel" "$source"
    wheel=$(echo "$cache"/wheel/pilelight-*.whl)
    key=$(sha256sum "$source/pyproject.toml" "$here/build.sh" | sha256sum | cut -c1-12)
    packages_dir=$cache/wheels-$key
    if [[ ! -d $packages_dir ]]; then
        rm -rf "$cache"/wheels-*
        quietly "$python" -m pip download -q --only-binary=:all: --python-version 3.11 --implementation cp \
            --platform manylinux2014_x86_64 "${tags[@]}" -d "$packages_dir.making" "${wheel}[pi,spi,pwm,panel]" lgpio gpiod pip
        rm -f "$packages_dir.making"/pilelight-*.whl
        mv "$packages_dir.making" "$packages_dir"
    fi
}


inside() { # run a command in a root, with /proc
    local root=$1
    shift
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"
}

install_pilelight() {
    local root=$1
    mkdir -p "$root/install"
    cp -a "$source"/{systemd,wiring} "$root/install"
    cp "$wheel" "$root/install"
    cp -a "$packages_dir" "$root/install/packages"
    mkdir -p "$root/boot/firmware"
    cp "$here/guest/config.txt" "$root/boot/firmware/config.txt"
    cp "$here/guest/wiring.toml" "$root/install"
    inside "$root" /install/systemd/install.sh --unattended --board rpi-zero-2w --with pwm --with spi --with panel \
        --wiring /install/wiring.toml --wheel "/install/$(basename "$wheel")" --packages /install/packages triple-play \
        >"$rig/install.log" 2>&1 || { cat "$rig/install.log" >&2; fail "install.sh failed"; }
}

guest_files() {
    local root=$1 service
    install -m 755 "$here"/guest/{agent,setup} "$root/usr/local/sbin"
    install -m 644 "$here"/guest/{agent,setup}.service "$root/etc/systemd/system"
    for service in agent setup; do
        ln -s "../$service.service" "$root/etc/systemd/system/multi-user.target.wants/$service.service"
    done
    # `--record` never overwrites a record; a service that a test has start again and again would not start twice
    install -D -m 644 /dev/stdin "$root/etc/systemd/system/pilelight@.service.d/record.conf" \
        <<<$'[Service]\nExecStartPre=-/bin/rm -f /var/lib/pilelight/record'
    while read -r service; do
        ln -sf /dev/null "$root/etc/systemd/system/$service"
    done <"$here/guest/masked"
    ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
    echo unit >"$root/etc/hostname"
    echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
    install -D -m 644 /dev/stdin "$root/etc/systemd/journald.conf.d/volatile.conf" <<<$'[Journal]\nStorage=volatile'
}

forget_gone_trees() {
    local other
    for other in "$cache"/tree-*; do
        [[ ! -f $other/source || -d $(<"$other/source") ]] || rm -rf "$other"
    done
}

forget_gone_trees
echo "$source" >"$rig/source"
wheels
for part in vmlinuz initrd.cpio debian; do ln -sfn "$base/$part" "$rig/$part"; done
root=$rig/root
rm -rf "$root"
cp -a "$base/debian" "$root"
install_pilelight "$root"
inside "$root" /opt/pilelight/bin/python -m pip install -q --no-index --find-links /install/packages lgpio gpiod
say "Pilelight installed by systemd/install.sh"
guest_files "$root"
rm -f "$rig/root.img"
truncate -s 900M "$rig/root.img"
mke2fs -q -F -t ext4 -O ^metadata_csum_seed -d "$root" "$rig/root.img"
rm -f "$rig/small.img"
truncate -s 4M "$rig/small.img"
mke2fs -q -F -t ext4 -m 0 "$rig/small.img"
say "image made"
echo "$rig"
