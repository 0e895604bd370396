# fill FILE.in: the file with what the publisher set. Read in after packaging/publisher, with $version set.
fill() {
    sed -e "s|@APPLICATION_ID@|$APPLICATION_ID|g" -e "s|@DEVELOPER_ID@|${APPLICATION_ID%.*}|g" -e "s|@PUBLISHER@|$PUBLISHER|g" \
        -e "s|@MAIL@|$MAIL|g" -e "s|@HOMEPAGE@|$HOMEPAGE|g" -e "s|@VERSION@|$version|g" \
        -e "s|@DATE@|$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%F)|g" "$1"
}
