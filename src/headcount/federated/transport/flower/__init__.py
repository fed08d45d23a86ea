"""Clients that are nodes of Flower, each with one person's items, or with a site's table (`headcount[flower]`).

    app.py        client_app, secure_client_app: the ClientApp of a node; site_app, secure_site_app: with many people
    grid.py       FlowerTransport, SiteFlowerTransport, SecureFlowerTransport: what a ServerApp sends the messages with
    content.py    text in Flower's messages

In a round with sampling and thresholding, the analyst's ServerApp is the aggregator: it and Flower's SuperLink see
every report in plain text, and are trusted. In a secure sum, both are the server, which sees masked numbers. TLS
between SuperNodes and SuperLink hides messages from the network, not from them.
"""

from headcount.federated.transport.flower.app import client_app, secure_client_app, secure_site_app, site_app
from headcount.federated.transport.flower.grid import FlowerTransport, SecureFlowerTransport, SiteFlowerTransport

__all__ = [
    "FlowerTransport",
    "SecureFlowerTransport",
    "SiteFlowerTransport",
    "client_app",
    "secure_client_app",
    "secure_site_app",
    "site_app",
]
