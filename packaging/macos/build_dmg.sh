#!/bin/sh
# sh build_dmg.sh FROZEN_PARENT VERSION OUT_FOLDER
# The disk image of Palimpsest.app, which palimpsest.spec makes on macOS. Not tried: this was written where there is no Mac.
# With SIGN_IDENTITY set, the program is signed; with NOTARY_PROFILE (of xcrun notarytool store-credentials), notarised as
# well. Unsigned, a user has to allow it once in System Settings, under Privacy and Security.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
app=$1/Palimpsest.app version=$2 out=$3
image=$out/palimpsest-$version-macos-$(uname -m).dmg
mkdir -p "$out"
if [ -n "${SIGN_IDENTITY:-}" ]; then
    codesign --force --deep --options runtime --timestamp --entitlements "$here/entitlements.plist" --sign "$SIGN_IDENTITY" "$app"
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -R "$app" "$stage/"
ln -s /Applications "$stage/Applications"
rm -f "$image"
hdiutil create -volname Palimpsest -srcfolder "$stage" -format ULFO "$image"
if [ -n "${NOTARY_PROFILE:-}" ]; then
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$image"
fi
