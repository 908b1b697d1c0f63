from records import Record, chunks, clock, read, sessions
from reports import average_session, by_status, error_bursts, first_visits, peak, popular, traffic

LOG = """\
10:00:05 10.0.0.1 /index.html 200 1000
10:00:20 10.0.0.2 /index.html?lang=en 200 1000
10:00:45 10.0.0.1 /shop 200 2500
broken line
10:01:10 10.0.0.3 /missing 404 120
10:01:30 10.0.0.1 /shop?id=7 500 -
10:01:31 10.0.0.1 /shop?id=7 503 -
10:01:32 10.0.0.2 /about 200 300
10:01:59 10.0.0.2 /shop 200 2400
10:04:00 10.0.0.1 /index.html 304 -
10:04:10 10.0.0.3 /about 200 x
10:04:20 10.0.0.4 /pay 502 80
10:05:20 10.0.0.4 /pay 500 80
"""


def main():
    records = list(read(LOG.splitlines()))
    assert len(records) == 11
    assert clock("10:00:05") == 36005
    assert records[1] == Record(36020, "10.0.0.2", "/index.html", 200, 1000)
    assert records[4].size == 0

    assert by_status(records) == {"2xx": 5, "3xx": 1, "4xx": 1, "5xx": 4}
    assert popular(records) == ["/index.html", "/shop", "/about"]
    assert popular(records, 1) == ["/index.html"]
    assert traffic(records)["10.0.0.2"] == 3700
    assert traffic(read(LOG.splitlines())) == {"10.0.0.1": 3500, "10.0.0.2": 3700, "10.0.0.3": 120, "10.0.0.4": 160}

    assert [len(chunk) for chunk in chunks(records, 60)] == [3, 5, 0, 0, 2, 1]
    assert peak(records) == (5, 1)
    assert peak(records, 3600) == (11, 0)
    assert error_bursts(records) == [(36090, 2), (36260, 2)]
    assert error_bursts(records, 3) == []

    visits = sessions(records)
    assert [len(each) for each in visits["10.0.0.1"]] == [4, 1]
    assert [len(each) for each in visits["10.0.0.2"]] == [1, 2]
    assert len(visits["10.0.0.4"]) == 1
    assert round(average_session(records), 2) == 28.83
    assert first_visits(iter(records), 3) == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]


main()
