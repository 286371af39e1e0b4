#!/usr/bin/env bash
# Make what does not depend on Pilelight: Debian's kernel 6.1 with simulated pins and parts, and a Debian root.
#
#   sudo tests/vm/base.sh CACHE        prints the folder with vmlinuz, initrd.cpio and debian/; two minutes the first time
#
# It is kept in CACHE under the kernel's version and a hash of what it is made from.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$1
packages=(
    busybox-static cpio e2fsprogs gcc kmod linux-headers-amd64 linux-source-6.1 make mmdebstrap qemu-system-x86 shellcheck
    xz-utils
)
guest_packages=systemd,systemd-sysv,udev,kmod,python3,python3-venv,procps
boot_modules=(virtio_pci virtio_blk crc32c_generic ext4)
modules=("${boot_modules[@]}" virtio_console configfs i2c-dev autofs4)

say() { echo "base.sh [${SECONDS} s]: $*" >&2; }
fail() { say "$*"; exit 1; }
quietly() { # run a step whose words matter only when it fails
    local log
    log=$(mktemp)
    "$@" >"$log" 2>&1 || { cat "$log" >&2; rm "$log"; fail "failed: $*"; }
    rm "$log"
}

[[ $(uname -m) == x86_64 ]] || fail "only made for x86-64 machines; this one is $(uname -m)"

missing=()
for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if ((${#missing[@]})); then
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    quietly apt-get -q -o DPkg::Lock::Timeout=300 update
    quietly apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "${missing[@]}"
fi

headers=$(find /usr/src -maxdepth 1 -name 'linux-headers-6.1.*-amd64' ! -name '*cloud*' ! -name '*rt*' | sort -V | tail -n 1)
[[ -n $headers ]] || fail "there are no headers of Debian's kernel 6.1 in /usr/src; this needs Debian bookworm"
kernel=${headers##*linux-headers-}
hash=$(cat "$here/base.sh" "$here"/kernel/* "$here/guest/init" | sha256sum | cut -c1-12)
base=$cache/$kernel-$hash

unpack_kernel() { # the stock kernel, not installed
    (cd "$work" && quietly apt-get -q download "linux-image-$kernel")
    dpkg-deb -x "$work"/linux-image-*.deb "$work/kernel"
    depmod -b "$work/kernel" "$kernel"
    cp "$work/kernel/boot/vmlinuz-$kernel" "$work/vmlinuz"
}

build_modules() { # gpio-sim from Debian's source of this kernel, and the parts of a unit
    local tree=linux-source-6.1 folder=$work/modules
    mkdir "$folder"
    tar -xJf "/usr/src/$tree.tar.xz" -C "$folder" --strip-components=3 \
        "$tree/drivers/gpio/gpio-sim.c" "$tree/drivers/gpio/gpiolib.h" "$tree/kernel/irq/irq_sim.c"
    mv "$folder/gpio-sim.c" "$folder/gpio-sim-main.c" # the module made of two files keeps the name
    # irq_to_desc is not exported to modules; the same descriptor is reached through irq_get_irq_data, which is
    sed -i 's/irq_to_desc(irqnum)/irq_data_to_desc(irq_get_irq_data(irqnum))/
            s/#include <linux\/interrupt.h>/&\n#include <linux\/irqdesc.h>/' "$folder/irq_sim.c"
    # a program's pull-up does not open a contact that closes to ground: the one who sets the line keeps it
    sed -i 's/return gpio_sim_apply_pull(chip, offset, [01]);/return 0;/' "$folder/gpio-sim-main.c"
    cp "$here"/kernel/* "$folder"
    quietly make -s -C "$headers" M="$folder" modules
}

module_files() {
    local module
    for module in "$@"; do
        modprobe -d "$work/kernel" -S "$kernel" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
    done | awk '!seen[$0]++'
}

make_initrd() {
    local root=$work/initrd file
    mkdir -p "$root"/{bin,dev,proc,sys,mnt,modules}
    cp /bin/busybox "$root/bin"
    install -m 755 "$here/guest/init" "$root/init"
    module_files "${boot_modules[@]}" | while read -r file; do
        cp "$file" "$root/modules"
        basename "$file" >>"$root/modules/order"
    done
    (cd "$root" && find . | cpio --quiet -o -H newc) >"$work/initrd.cpio"
}

make_debian() {
    local root=$work/debian mirror file
    # shellcheck disable=SC2016  # apt's own variable: the archive that this machine uses
    mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1)
    quietly mmdebstrap --variant=minbase --include="$guest_packages" bookworm "$root" "$mirror"
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}
    local to=$root/lib/modules/$kernel
    mkdir -p "$to/extra"
    cp "$work/kernel/lib/modules/$kernel"/modules.{builtin,order,builtin.modinfo} "$to"
    cp "$work"/modules/*.ko "$to/extra"
    module_files "${modules[@]}" | while read -r file; do
        install -D -m 644 "$file" "$root/lib/modules/${file#*lib/modules/}"
    done
    depmod -b "$root" "$kernel"
    chroot "$root" python3 -m compileall -q /usr/lib/python3.11
}

if [[ ! -d $base ]]; then
    mkdir -p "$cache"
    rm -rf "$cache"/*.making
    work=$base.making
    mkdir "$work"
    unpack_kernel && say "kernel $kernel unpacked"
    build_modules && say "gpio-sim and unit_parts built"
    make_initrd
    make_debian && say "Debian root made"
    rm -rf "$work"/{kernel,modules,initrd,linux-image-*.deb}
    find "$cache" -maxdepth 1 -name '6.1.*' ! -name '*.making' -exec rm -rf {} + # the ones before
    mv "$work" "$base"
fi

echo "$base"
