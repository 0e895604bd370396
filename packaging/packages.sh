#!/bin/sh
# Build what is handed on, from a clean clone of the last commit, into dist/. Run by: sh packaging/run packages
#   packages.sh PYTHON [PART...]   parts: wheel folder deb tarball (all of them without a name; each needs the ones before)
#   packages.sh PYTHON constraints   renew packaging/constraints.txt from what is newest today
# The pins of packaging/constraints.txt and the time of the commit make the same wheel of the same sources.
set -eu
python=$1
shift
top=$(pwd)
work=$top/build
umask 022
export LC_ALL=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH NUMBA_CACHE_DIR NUMBA_CPU_NAME

say() { printf '%s\n' "$*" >&2; }
megabytes() { echo "$(($(du -sk "$1" | cut -f1) / 1000)) MB"; }

environment() { # NAME: a fresh one
    rm -rf "${work:?}/$1"
    "$python" -m venv "$work/$1"
}

if [ "${1:-}" = constraints ]; then
    mkdir -p "$work"
    environment newest
    "$work/newest/bin/pip" install -q ".[bundled,translations,build]"
    {
        echo "# Versions that packages are built of; renew them with: sh packaging/run packages constraints"
        "$work/newest/bin/pip" freeze --all --exclude palimpsest --exclude pip | grep -v ' @ '
    } >packaging/constraints.txt
    exit
fi

parts=${*:-wheel folder deb tarball}
pins=$work/source/packaging/constraints.txt
tools=$work/source/packaging

source_tree() {
    [ -d .git ] || { say "Packages are built from a clone: this folder is none."; exit 1; }
    rm -rf "$work/source"
    git clone -q --no-hardlinks "$top" "$work/source"
    [ -z "$(git status --porcelain)" ] || say "What is not committed is not built."
}

pack() { # FOLDER NAME [OPTION...]: a tarball of a frozen folder
    packed=$1 name=$2
    shift 2
    tar -C "$work/frozen" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$@" -cf - "$packed" |
        xz -T0 -9 >"dist/$name.tar.xz"
}

mkdir -p dist "$work"
case " $parts " in *" wheel "*) source_tree ;; esac
SOURCE_DATE_EPOCH=$(git -C "$work/source" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$work/source/pyproject.toml")
system=linux-$(uname -m)
frozen=$work/frozen/palimpsest

for part in $parts; do
    say "Building: $part"
    case $part in
        wheel)
            environment env
            "$work/env/bin/pip" install -q -c "$pins" build setuptools wheel
            rm -f dist/palimpsest-"$version"*.whl dist/palimpsest-"$version".tar.gz
            (cd "$work/source" && "$work/env/bin/python" -m build --no-isolation --outdir "$top/dist" >"$work/wheel.log")
            ;;
        folder)
            "$work/env/bin/pip" install -q -c "$pins" "$(ls dist/palimpsest-"$version"-*.whl)[bundled,build]"
            "$work/env/bin/python" "$tools/freeze/icons.py" "$work/source/resources/application/palimpsest.svg" "$work/source/build/icons" palimpsest
            (cd "$work/source" && PYTHONHASHSEED=1 "$work/env/bin/pyinstaller" --noconfirm --clean --log-level ERROR \
                --distpath "$work/frozen" --workpath "$work/freezing" packaging/freeze/palimpsest.spec)
            "$work/env/bin/python" "$tools/freeze/finish.py" "$frozen"
            "$work/env/bin/python" "$tools/freeze/licences.py" sbom "$frozen" "dist/palimpsest-$version-$system.cdx.json"
            ;;
        deb)
            sh "$tools/linux/build_deb.sh" "$frozen" "$version" dist "$work/env/bin/python" "$work/source"
            ;;
        tarball)
            pack palimpsest "palimpsest-$version-$system"
            pack palimpsest-scale "palimpsest-scale-$version-$system" --transform 's,^palimpsest-scale,palimpsest,'
            ;;
        *)
            say "There is no part $part."
            exit 2
            ;;
    esac
done

(cd dist && find . -maxdepth 1 -type f -name 'palimpsest*' ! -name '*.sha256' -printf '%f\n' | sort | xargs sha256sum >SHA256SUMS)
say "In dist/:"
for file in dist/palimpsest*; do say "  $(megabytes "$file")  $(basename "$file")"; done
if [ -d "$frozen" ]; then
    say "The folder: $(megabytes "$frozen"), its optional part: $(megabytes "$frozen-scale"); the largest in it:"
    du -k -d 1 "$frozen/_internal" | sort -rn | sed 1d | head -8 |
        while read -r size path; do say "  $((size / 1000)) MB  $(basename "$path")"; done
fi
