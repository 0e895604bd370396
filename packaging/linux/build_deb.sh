#!/bin/sh
# sh build_deb.sh FROZEN_FOLDER VERSION OUT_FOLDER PYTHON SOURCE_TREE
# The .deb of a finished folder. PYTHON is of the environment with the program's libraries: it makes the manual pages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
frozen=$1 version=$2 out=$3 python=$4 source=$5
. "$source/packaging/publisher"
: "${SOURCE_DATE_EPOCH:=$(date +%s)}"
export SOURCE_DATE_EPOCH
umask 022
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
lib=$root/usr/lib/palimpsest share=$root/usr/share
mkdir -p "$root/DEBIAN" "$lib" "$root/usr/bin" "$share/applications" "$share/mime/packages" "$share/metainfo" \
    "$share/man/man1" "$share/doc/palimpsest" "$share/icons" "$share/lintian/overrides"

. "$here/fill.sh"
cp -a "$frozen/." "$lib/"
find "$lib" -type d -exec chmod 755 {} +
find "$lib" -type f -exec chmod 644 {} +
chmod 755 "$lib/palimpsest"
ln -s ../lib/palimpsest/palimpsest "$root/usr/bin/palimpsest"
install -m 644 "$here/palimpsest.desktop" "$share/applications/"
install -m 644 "$here/palimpsest.mime.xml" "$share/mime/packages/palimpsest.xml"
fill "$here/metainfo.xml.in" >"$share/metainfo/$APPLICATION_ID.metainfo.xml"
fill "$here/copyright.in" >"$share/doc/palimpsest/copyright"
cp -r "$source/build/icons/hicolor" "$share/icons/"
"$python" "$here/manual.py" "$share/man/man1"
gzip -9n "$share"/man/man1/*.1
gzip -9nc "$source/CHANGELOG.md" >"$share/doc/palimpsest/NEWS.gz"
{
    printf 'palimpsest (%s) unstable; urgency=medium\n\n  * What has changed is in NEWS.gz.\n\n' "$version"
    printf ' -- %s <%s>  %s\n' "$PUBLISHER" "$MAIL" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$share/doc/palimpsest/changelog.gz"
install -m 644 "$here/lintian-overrides" "$share/lintian/overrides/palimpsest"

# The oldest C library that every file of the folder runs with.
libc=$(find "$lib" -type f \( -name '*.so*' -o -perm -u+x \) -exec objdump -T {} + 2>/dev/null |
    grep -o 'GLIBC_2\.[0-9.]*' | sort -uV | tail -n 1 | cut -d _ -f 2)
cat >"$root/DEBIAN/control" <<END
Package: palimpsest
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $PUBLISHER <$MAIL>
Section: text
Priority: optional
Installed-Size: $(du -k -s --apparent-size "$root" | cut -f1)
Homepage: $HOMEPAGE
Depends: libc6 (>= $libc), libstdc++6 (>= 11), libgcc-s1, zlib1g, libexpat1, libuuid1, libgl1, libegl1, libx11-6, libx11-xcb1, libxcb1, libxkbcommon0, libglib2.0-0 | libglib2.0-0t64, libdbus-1-3, libfontconfig1, libfreetype6, libwayland-client0, libwayland-cursor0, libwayland-egl1, hicolor-icon-theme
Recommends: xdg-utils, shared-mime-info, desktop-file-utils
Suggests: cups-client
Description: find, review and document text made out of other texts
 A desktop workbench for texts that may have been made out of other texts:
 copied passages, near-duplicate pages and spam made of copied strings, in
 Japanese, Chinese and English alike, also after changes of width,
 punctuation, spaces or character forms. Everything happens on your own
 machine, in one project file; nothing is sent anywhere.
 .
 The package brings its own Python and libraries.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$out"
dpkg-deb --root-owner-group -Z"${DEB_COMPRESSION:-xz}" -z9 --build "$root" "$out/palimpsest_${version}_$(dpkg --print-architecture).deb"
