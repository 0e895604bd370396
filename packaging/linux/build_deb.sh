#!/bin/sh
# sh build_deb.sh FROZEN_FOLDER VERSION OUT_FOLDER PYTHON SOURCE_TREE
# The .deb of a finished folder, and that of its optional part, FROZEN_FOLDER-scale.
# PYTHON is of the environment with the program's libraries: it makes the manual pages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
frozen=$1 version=$2 out=$3 python=$4 source=$5
. "$source/packaging/publisher"
: "${SOURCE_DATE_EPOCH:=$(date +%s)}"
export SOURCE_DATE_EPOCH
umask 022
. "$here/fill.sh"
architecture=$(dpkg --print-architecture)
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A package NAME in $root, with the files of a frozen folder and what every package has.
begin() { # NAME FOLDER
    name=$1 root=$work/$1
    lib=$root/usr/lib/palimpsest share=$root/usr/share
    mkdir -p "$root/DEBIAN" "$lib" "$share/doc/$name" "$share/lintian/overrides"
    chmod 755 "$root"
    cp -a "$2/." "$lib/"
    find "$lib" -type d -exec chmod 755 {} +
    find "$lib" -type f -exec chmod 644 {} +
    fill "$here/copyright.in" | sed "s|@COMPONENTS@|$(basename "$lib/_internal/licences/"COMPONENTS*)|" >"$share/doc/$name/copyright"
    {
        printf '%s (%s) unstable; urgency=medium\n\n  * What has changed is in NEWS.gz of palimpsest.\n\n' "$name" "$version"
        printf ' -- %s <%s>  %s\n' "$PUBLISHER" "$MAIL" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
    } | gzip -9n >"$share/doc/$name/changelog.gz"
    grep -e "^$name:" -e '^#' "$here/lintian-overrides" >"$share/lintian/overrides/$name"
}

# The oldest C library that every file of the package runs with.
oldest_libc() {
    find "$lib" -type f \( -name '*.so*' -o -perm -u+x \) -exec objdump -T {} + 2>/dev/null |
        grep -o 'GLIBC_2\.[0-9.]*' | sort -uV | tail -n 1 | cut -d _ -f 2
}

# Close the package: the rest of its control file, with the description last, is standard input.
end() {
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$name" "$version" "$architecture"
        printf 'Maintainer: %s <%s>\nSection: text\nPriority: optional\n' "$PUBLISHER" "$MAIL"
        printf 'Homepage: %s\nInstalled-Size: %s\n' "$HOMEPAGE" "$(du -k -s --apparent-size "$root" | cut -f1)"
        cat
    } >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Z"${DEB_COMPRESSION:-xz}" -z9 --build "$root" "$out/${name}_${version}_$architecture.deb"
    rm -rf "$root"
}

begin palimpsest "$frozen"
mkdir -p "$root/usr/bin" "$share/applications" "$share/mime/packages" "$share/metainfo" "$share/man/man1" "$share/icons"
chmod 755 "$lib/palimpsest"
ln -s ../lib/palimpsest/palimpsest "$root/usr/bin/palimpsest"
install -m 644 "$here/palimpsest.desktop" "$share/applications/"
install -m 644 "$here/palimpsest.mime.xml" "$share/mime/packages/palimpsest.xml"
fill "$here/metainfo.xml.in" >"$share/metainfo/$APPLICATION_ID.metainfo.xml"
cp -r "$source/build/icons/hicolor" "$share/icons/"
"$python" "$here/manual.py" "$share/man/man1"
gzip -9n "$share"/man/man1/*.1
gzip -9nc "$source/CHANGELOG.md" >"$share/doc/palimpsest/NEWS.gz"
end <<END
Depends: libc6 (>= $(oldest_libc)), libstdc++6 (>= 11), libgcc-s1, zlib1g, libexpat1, libuuid1, libgl1, libegl1, libx11-6, libx11-xcb1, libxcb1, libxkbcommon0, libglib2.0-0 | libglib2.0-0t64, libdbus-1-3, libfontconfig1, libfreetype6, libwayland-client0, libwayland-cursor0, libwayland-egl1, hicolor-icon-theme
Recommends: xdg-utils, shared-mime-info, desktop-file-utils
Suggests: palimpsest-scale, cups-client
Description: find, review and document text made from other texts
 A desktop workbench for texts that may have been made from other texts:
 copied passages, near-duplicate pages and spam made of copied strings, in
 Japanese, Chinese and English alike, also after changes of width,
 punctuation, spaces or character forms. Everything happens on your own
 machine, in one project file; text leaves your machine only when you set up
 a search engine or alerts and use them.
 .
 The package brings its own Python and libraries.
END

begin palimpsest-scale "$frozen-scale"
end <<END
Depends: palimpsest (= $version), libc6 (>= $(oldest_libc)), libstdc++6 (>= 11), libgcc-s1
Enhances: palimpsest
Description: collections beyond a project and Parquet tables for palimpsest
 What palimpsest needs to find pairs in a collection of many millions of
 pages (palimpsest scale), and to read Parquet tables: DuckDB and Arrow.
END
