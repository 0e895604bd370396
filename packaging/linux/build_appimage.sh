#!/bin/sh
# sh build_appimage.sh FROZEN_FOLDER VERSION OUT_FOLDER SOURCE_TREE
# An AppImage of a finished folder and its optional part. Needs appimagetool and its runtime, which Debian does not have.
# Not tried: neither was to be had where this was written.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
frozen=$1 version=$2 out=$3 source=$4
. "$source/packaging/publisher"
dir=$(mktemp -d)/Palimpsest.AppDir
trap 'rm -rf "${dir%/*}"' EXIT
mkdir -p "$dir/usr/lib" "$dir/usr/share/metainfo" "$dir/usr/share/mime/packages" "$out"
cp -a "$frozen" "$dir/usr/lib/palimpsest"
cp -a "$frozen-scale/." "$dir/usr/lib/palimpsest/"
cp "$here/palimpsest.desktop" "$dir/"
cp "$here/palimpsest.mime.xml" "$dir/usr/share/mime/packages/palimpsest.xml"
cp "$source/resources/application/palimpsest.svg" "$dir/"
. "$here/fill.sh"
fill "$here/metainfo.xml.in" >"$dir/usr/share/metainfo/$APPLICATION_ID.appdata.xml"
# Without a word the window opens; with one it is the command line.
cat >"$dir/AppRun" <<'END'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
[ $# -gt 0 ] || set -- gui
exec "$here/usr/lib/palimpsest/palimpsest" "$@"
END
chmod 755 "$dir/AppRun"
ARCH=$(uname -m) appimagetool --comp zstd "$dir" "$out/palimpsest-$version-linux-$(uname -m).AppImage"
