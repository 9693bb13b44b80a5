"""Endpoints behind TLS, good and bad."""

import ssl

from wire import Gone, keeps_answering, response

ok = keeps_answering(lambda _: response(200))


def context_for(pair, protocols=("http/1.1",)):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair["certificate"], pair["key"])
    context.set_alpn_protocols(list(protocols))
    return context


def old_version(pair):
    """TLS 1.1 and nothing newer. OpenSSL 3 has it only at security level 0."""
    context = context_for(pair)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1_1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context


def demanding(pair, ca):
    """Without a certificate of the client there is no handshake; with TLS 1.3 the client learns of it only later."""
    context = context_for(pair)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(ca)
    return context


def behind(context, serve):
    """The animal behind TLS. A handshake that fails counts as a connection without a request."""
    async def serve_tls(conversation):
        try:
            await conversation.start_tls(context)
        except (ssl.SSLError, ConnectionError) as error:
            raise Gone from error
        await serve(conversation)
    return serve_tls


async def hang_in_handshake(conversation):
    """Takes the ClientHello and says nothing."""
    await conversation.until_closed()


async def not_tls(conversation):
    """Speaks plain HTTP on a port for TLS."""
    await conversation.send(response(400))


def animals(certificates):
    good = certificates.good
    return {
        "tls-ok": behind(context_for(good), ok),
        "tls-expired": behind(context_for(certificates.expired), ok),
        "tls-wrong-host": behind(context_for(certificates.elsewhere), ok),
        "tls-self-signed": behind(context_for(certificates.self_signed), ok),
        "tls-old-version": behind(old_version(good), ok),
        "tls-client-certificate": behind(demanding(good, certificates.ca), ok),
        "tls-hang": hang_in_handshake,
        "tls-not-tls": not_tls,
    }
