# The image of a release; GoReleaser provides the binaries, in a folder for each platform.
# The base has certificate authorities, time zones and a user who is not root, and no shell.
FROM gcr.io/distroless/static-debian13:nonroot
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/sitemap /usr/bin/sitemap
ENTRYPOINT ["/usr/bin/sitemap"]
